import { expect, it } from 'vitest'
import { ScriptedServer, context, staticCache } from '@machinist/testing/servers/scripted-server'
import type { ClusterOperator } from '../../api/openshift-config.ts'
import type { ControllerConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import { Metrics } from '@machinist/core/metrics'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { Controller } from '@machinist/kube/controller/controller'
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
  return clusterOperatorController({
    client,
    clock,
    metrics,
    events: { normal: () => undefined, warning: () => undefined },
    reports: new TaskReports(),
    version: '4.16.0',
    build: 'build-1',
    isServed: () => cluster.isServed ?? true,
    informers: {
      clusterOperators: staticCache(...clusterOperators),
      pools: staticCache(...pools),
      machineConfigs: staticCache(),
      controllerConfigs: staticCache(controllerConfig),
      machineConfigurations: staticCache(),
      kubeletConfigs: staticCache(),
      containerRuntimeConfigs: staticCache(),
      nodes: staticCache(),
    },
  })
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
