import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { referenceTo } from '@machinist/core/objects/resource'
import { seededRandom } from '@machinist/core/random'
import { Recorder } from '@machinist/kube/events/recorder'
import { secrets } from '@machinist/kube/kinds/core'
import { until } from '@machinist/testing/until'
import { machineConfigPools } from '../../../src/api/kinds/resources.ts'
import { secrets as fixedSecrets } from '../../../src/api/names.ts'
import { tokenAccess } from '../../../src/server/access/token-access.ts'
import { ClusterSource } from '../../../src/server/cluster/cluster-source.ts'
import { reportOpen } from '../../../src/server/cluster/open-condition.ts'
import { BootstrapCredential } from '../../../src/server/credential/bootstrap-credential.ts'
import { runServer } from '../../../src/server/run-server.ts'
import { namespace } from './identities.ts'
import type { MachinePointer } from './machine-pointer.ts'
import type { ConfigResponse, Presented } from './machine-request.ts'
import { requestConfig } from './machine-request.ts'
import { clientAs } from './scenario.ts'
import type { Stage } from './stage.ts'

/** A machine config server with the credential of its ServiceAccount, and the certificate that the signer issued. */
export interface ConfigServer extends AsyncDisposable {
  /** The response to a machine with this pointer config, or with another token or address. */
  respond(pointer: MachinePointer, other?: Partial<Presented>): Promise<ConfigResponse>
  /** The hosts of the cluster's own registry that it knows. */
  registries(): readonly string[]
  /** Time passes for the reports of refusals. */
  skip(ms: number): void
}

export async function startConfigServer(stage: Stage): Promise<ConfigServer> {
  const client = clientAs(stage, 'server')
  const stop = new AbortController()
  let skippedMs = 0
  const clock = { ...systemClock, elapsed: () => systemClock.elapsed() + skippedMs }
  const log = silentLogger
  const tools = { client, clock, random: seededRandom(1), log, metrics: new Metrics() }
  const source = new ClusterSource(tools)
  const component = 'machine-config-server'
  const events = new Recorder({ ...tools, api: client, component, instance: 'test' })
  const { access, informer } = tokenAccess({ ...tools, events }, (name) => {
    const pool = source.current()?.pools.get(name)
    return pool && referenceTo(machineConfigPools, pool)
  })
  const listening = Promise.withResolvers<string>()
  const account = { namespace, name: 'node-bootstrapper' }
  const running = runServer(
    {
      ...tools,
      source,
      credential: new BootstrapCredential({ ...tools, account }),
      access,
      secure: {
        address: { host: '127.0.0.1', port: 0 },
        certificate: { cert: 'tls.crt', key: 'tls.key' },
        files: { read: await issuedFiles(stage) },
      },
      tasks: [(until) => informer.start(until), (until) => reportOpen(tools, false, until)],
      listening: ([url = '']) => listening.resolve(url),
    },
    stop.signal,
  )
  running.ended.catch(listening.reject)
  const url = new URL(await listening.promise)
  await until('the server is ready', () => running.notReady() === undefined)
  return {
    async respond(pointer, other) {
      const response = await requestConfig(url, pointer, other)
      // Certificates are from the virtual time of the cluster, which may be ahead.
      if (response.distrust && !/NOT_YET_VALID/.test(response.distrust)) {
        throw new Error(`the machine does not trust the server: ${response.distrust}`)
      }
      return response
    },
    registries: () => source.current()?.images.internalRegistries ?? [],
    skip: (ms) => void (skippedMs += ms),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running.ended
      await events.close()
    },
  }
}

/** The files of the Secret, as the kubelet mounts them. */
async function issuedFiles({ client }: Stage): Promise<(path: string) => Promise<string>> {
  const { data = {} } = await client.get(secrets, fixedSecrets.serverTLS)
  return async (path) => Buffer.from(data[path] ?? '', 'base64').toString()
}
