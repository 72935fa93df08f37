import type { Clock } from '@machinist/core/clock'
import { names } from '../../api/names.ts'
import type { ClusterOperatorFacts, OperatorRelease } from './facts.ts'
import type { ClusterOperatorCaches } from './inputs.ts'
import { kubeAPIServer } from './kubelet-skew.ts'
import type { TaskReports } from './tasks.ts'

export interface ClusterOperatorSources {
  readonly caches: ClusterOperatorCaches
  readonly reports: TaskReports
  readonly operator: OperatorRelease
}

/** Gathers the facts from the caches. */
export function gather(
  { caches, reports, operator }: ClusterOperatorSources,
  clock: Clock,
): ClusterOperatorFacts {
  return {
    nowMs: clock.now(),
    operator,
    found: caches.clusterOperators.get(names.clusterOperator),
    isServed: caches.hasClusterOperators(),
    kubeAPIServer: caches.clusterOperators.get(kubeAPIServer),
    reported: reports.list(),
    controllerConfig: caches.controllerConfigs.get(names.controllerConfig),
    machineConfiguration: caches.machineConfigurations.get(names.machineConfiguration),
    pools: caches.pools.list(),
    machineConfigs: new Map(
      caches.machineConfigs.list().map((config) => [config.metadata.name, config]),
    ),
    nodes: caches.nodes.list(),
    kubeletConfigs: caches.kubeletConfigs.list(),
    runtimeConfigs: caches.containerRuntimeConfigs.list(),
  }
}
