import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { systemRandom } from '@machinist/core/random'
import { KubeClient } from '@machinist/kube/client/client'
import { connectTo } from '@machinist/kube/connection/credentials'
import { realFiles } from '@machinist/kube/connection/files'
import { inClusterTarget } from '@machinist/kube/connection/in-cluster'
import { commandRunner } from '@machinist/kube/connection/run-command'
import { Informer } from '@machinist/kube/informer/informer'
import { nodes } from '@machinist/kube/kinds/core'
import { HttpTransport } from '@machinist/kube/transport/http-transport'

/** The minimum on a node: service account credentials, TLS and one informer with metadata only. */
async function main(): Promise<void> {
  const { HOST: host, PORT: port, ACCOUNT: directory } = process.env
  const clock = systemClock
  const files = realFiles
  const target = await inClusterTarget({ host, port, files, directory })
  if (!target) throw new Error('no service account')
  const connection = connectTo({ target, files, run: commandRunner({ clock, env: {} }), clock })
  const transport = new HttpTransport({ connection, clock })
  const client = new KubeClient({ transport, clock })
  const informer = new Informer({
    resource: 'nodes',
    source: client.listWatch(nodes, { metadataOnly: true }),
    clock,
    random: systemRandom,
    log: silentLogger,
    metrics: new Metrics(),
  })
  void informer.start(new AbortController().signal)
  await informer.synced()
  process.stdout.write(`holds ${informer.size}\n`)
}

void main()
