import { systemClock } from '../src/base/clock.ts'
import { silentLogger } from '../src/base/log.ts'
import { Metrics } from '../src/base/metrics.ts'
import { systemRandom } from '../src/base/random.ts'
import { KubeClient } from '../src/kube/client.ts'
import { connectTo } from '../src/kube/connection/credentials.ts'
import { realFiles } from '../src/kube/connection/files.ts'
import { inClusterTarget } from '../src/kube/connection/in-cluster.ts'
import { commandRunner } from '../src/kube/connection/run-command.ts'
import { Informer } from '../src/kube/informer/informer.ts'
import { nodes } from '../src/kube/kinds/core.ts'
import { HttpTransport } from '../src/kube/transport-http.ts'

/** The least that runs on a node: a pod's credentials, TLS, and one informer that holds metadata only. */
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
