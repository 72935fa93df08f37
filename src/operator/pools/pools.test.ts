import { describe, expect, it } from 'vitest'
import { ScriptedServer, context, staticCache } from '@machinist/testing/servers/scripted-server'
import { Waiting } from '@machinist/core/errors'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { Controller } from '@machinist/kube/controller/controller'
import type { Namespace, Secret } from '@machinist/kube/kinds/core'
import type { ControllerConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import { newTokenSecret } from '../../fleet/provisioning/token-rotation.ts'
import { sampleToken } from '../../fleet/provisioning/token.fixture.ts'
import { TaskReports } from '../cluster-operator/tasks.ts'
import { poolsController } from './pools.ts'

const emitted: string[] = []
const events = {
  normal: (): void => undefined,
  warning: (about: object, reason: string): void => {
    emitted.push(`${(about as { kind: string }).kind} ${reason}`)
  },
}

const clock = new VirtualClock()
const silent = {
  ...staticCache<never>(),
  hasSynced: false,
  synced: () => new Promise<boolean>(() => {}),
}

interface Cluster {
  readonly pools?: readonly MachineConfigPool[]
  readonly userData?: readonly Secret[]
  /** The informers of Secrets and Namespaces do not sync. */
  readonly isSilent?: boolean
}

function controller(
  server: ScriptedServer,
  cluster: Cluster,
  reports = new TaskReports(),
): Controller {
  const config = {
    metadata: { name: 'machine-config-controller' },
    spec: {
      rootCAData: 'Q0EK',
      infra: { status: { apiServerInternalURI: 'https://api-int:6443' } },
    },
  } as unknown as ControllerConfig
  const tools = { clock, random: seededRandom(1), log: silentLogger, metrics: new Metrics() }
  const caches = {
    pools: staticCache(...(cluster.pools ?? [])),
    controllerConfigs: staticCache(config),
    userData: cluster.isSilent ? silent : staticCache(...(cluster.userData ?? [])),
    provisioning: cluster.isSilent ? silent : staticCache(...tokens),
    machineAPI: cluster.isSilent
      ? silent
      : staticCache<Namespace>({ metadata: { name: 'openshift-machine-api' } }),
  }
  return poolsController({ ...tools, client: server.client, events }, caches, { reports })
}

const infra: MachineConfigPool = { metadata: { name: 'infra', uid: 'u-1' }, spec: {} }
const stale: Secret = {
  metadata: {
    name: 'infra-user-data-managed',
    namespace: 'openshift-machine-api',
    resourceVersion: '7',
  },
  data: {},
}
const tokens = ['infra', 'worker'].map((name) =>
  newTokenSecret(
    `provisioning-token-${name}`,
    { metadata: { name }, spec: {} },
    sampleToken('a'),
    0,
  ),
)
const place = '/api/v1/namespaces/openshift-machine-api/secrets'

describe('responses of the server', () => {
  it('a conflict is retried', async () => {
    const server = new ScriptedServer([409, 'Conflict'])
    const pools = controller(server, { pools: [infra], userData: [stale] })
    await expect(pools.reconcile('infra', context)).rejects.toBeInstanceOf(Waiting)
    expect(server.requests).toEqual([`PATCH ${place}/infra-user-data-managed`])
    expect(server.bodies[0]).toMatchObject({ metadata: { resourceVersion: '7' } })
  })

  it('a concurrent deletion or creation is not a failure', async () => {
    const gone = new ScriptedServer([404, 'NotFound'])
    const cluster = { pools: [infra], userData: [stale] }
    expect(await controller(gone, cluster).reconcile('infra', context)).toEqual({ type: 'settled' })
    const there = new ScriptedServer([409, 'AlreadyExists'])
    expect(await controller(there, {}).reconcile('master', context)).toEqual({ type: 'settled' })
  })

  it('a rejected write is reported once and retried', async () => {
    emitted.length = 0
    const reports = new TaskReports()
    const refusal = [403, 'Forbidden'] as const
    const server = new ScriptedServer(refusal, refusal, {})
    const pools = controller(server, {}, reports)
    const later = { type: 'requeue', afterMs: 60_000 }
    expect(await pools.reconcile('worker', context)).toEqual(later)
    expect(await pools.reconcile('worker', context)).toEqual(later)
    expect(emitted).toEqual(['MachineConfigPool ActionProhibited'])
    expect(reports.list()).toEqual([
      {
        task: 'MachineConfigPools',
        message: 'the API server refused MachineConfigPool worker (403 Forbidden)',
      },
    ])
    expect(await pools.reconcile('worker', context)).toEqual({ type: 'settled' })
    expect(reports.list()).toEqual([])
  })

  it('missing permissions for user data do not block the creation of pools', async () => {
    const server = new ScriptedServer({})
    const pools = controller(server, { isSilent: true })
    let isStarted = false
    void Promise.all(pools.inputs.map((input) => input.synced())).then(() => (isStarted = true))
    await clock.advance(10_000)
    expect(isStarted).toBe(true)
    expect(await pools.reconcile('master', context)).toEqual({ type: 'settled' })
    expect(server.requests).toEqual([
      'POST /apis/machineconfiguration.openshift.io/v1/machineconfigpools',
    ])
    const others = controller(server, { isSilent: true, pools: [infra] })
    expect(await others.reconcile('infra', context)).toEqual({ type: 'settled' })
    expect(server.requests).toHaveLength(1)
  })

  it('other errors are retried, and do not block other writes', async () => {
    const worker = { metadata: { name: 'worker', uid: 'u-2' }, spec: {} }
    const server = new ScriptedServer([500, 'InternalError'], {})
    const pools = controller(server, { pools: [worker] })
    await expect(pools.reconcile('worker', context)).rejects.toThrow('(500 InternalError)')
    expect(server.requests).toEqual([
      'PATCH /apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker',
      `POST ${place}`,
    ])
  })
})
