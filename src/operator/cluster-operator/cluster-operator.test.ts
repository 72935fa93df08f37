import { expect, it } from 'vitest'
import { ScriptedServer, context, staticCache } from '@machinist/testing/servers/scripted-server'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { Controller } from '@machinist/kube/controller/controller'
import type { Node } from '@machinist/kube/kinds/core'
import type { ClusterOperator } from '../../api/openshift-config.ts'
import type {
  ContainerRuntimeConfig,
  ControllerConfig,
  KubeletConfig,
  MachineConfig,
  MachineConfigPool,
  MachineConfiguration,
} from '../../api/kinds/resources.ts'
import { clusterOperatorController } from './cluster-operator.ts'
import { TaskReports } from './tasks.ts'

interface Cluster {
  readonly clock: VirtualClock
  readonly metrics?: Metrics
  readonly pools?: readonly MachineConfigPool[]
  readonly clusterOperators?: readonly ClusterOperator[]
  readonly isServed?: boolean
}

const controllerConfig = {
  metadata: { name: 'machine-config-controller' },
  spec: {},
  status: {
    conditions: [{ type: 'machinist.dev/InputDegraded.dns', status: 'True', message: 'no name' }],
  },
} as unknown as ControllerConfig

function controller({ client }: ScriptedServer, cluster: Cluster): Controller {
  const { clock, metrics = new Metrics(), pools = [], clusterOperators = [] } = cluster
  const events = { normal: () => undefined, warning: () => undefined }
  const tools = { clock, metrics, events, random: seededRandom(1), log: silentLogger }
  const caches = {
    clusterOperators: staticCache(...clusterOperators),
    hasClusterOperators: () => cluster.isServed ?? true,
    pools: staticCache(...pools),
    machineConfigs: staticCache<MachineConfig>(),
    controllerConfigs: staticCache(controllerConfig),
    machineConfigurations: staticCache<MachineConfiguration>(),
    kubeletConfigs: staticCache<KubeletConfig>(),
    containerRuntimeConfigs: staticCache<ContainerRuntimeConfig>(),
    nodes: staticCache<Node>(),
  }
  const settings = { reports: new TaskReports(), version: '4.16.0', build: 'build-1' }
  return clusterOperatorController({ ...tools, client }, caches, settings)
}

it('sends no requests if the kind is not served, and still updates metrics', async () => {
  const clock = new VirtualClock()
  const metrics = new Metrics()
  const server = new ScriptedServer([404, 'NotFound'])
  const again = { type: 'requeue', afterMs: 60_000 }
  const absent = controller(server, { clock, metrics, isServed: false })
  expect(await absent.reconcile('', context)).toEqual(again)
  expect(server.requests).toEqual([])
  // The kind may be removed concurrently.
  expect(await controller(server, { clock }).reconcile('', context)).toEqual(again)
  expect(server.requests).toHaveLength(1)
  const text = metrics.text()
  expect(text).toContain('machinist_operator_task_failing{task="RenderConfig"} 1')
  expect(text).toContain('machinist_operator_task_failing{task="RequiredPools"} 0')
})

it('requeues at the deadline of a pool', async () => {
  const clock = new VirtualClock()
  const updated = {
    type: 'Updated',
    status: 'False' as const,
    lastTransitionTime: '2025-12-31T23:55:00Z',
  }
  const master: MachineConfigPool = {
    metadata: {
      name: 'master',
      labels: { 'operator.machineconfiguration.openshift.io/required-for-upgrade': '' },
    },
    spec: {},
    status: { machineCount: 3, conditions: [updated] },
  }
  const found: ClusterOperator = { metadata: { name: 'machine-config' }, spec: {} }
  const server = new ScriptedServer(found, found, found, found)
  const one = controller(server, { clock, pools: [master], clusterOperators: [found] })
  const minutes = (count: number): number => count * 60_000
  expect(await one.reconcile('', context)).toEqual({ type: 'requeue', afterMs: minutes(25) })
  clock.jump(minutes(25))
  expect(await one.reconcile('', context)).toEqual({ type: 'settled' })
})
