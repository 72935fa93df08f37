import {
  drainPolicies,
  machineConfigNodes,
  machineConfigPools,
} from '../../../src/api/resources.ts'
import type { KubeObject } from '../../../src/base/resource.ts'
import type { VirtualClock } from '../../../src/base/virtual-clock.ts'
import { drainController } from '../../../src/controllers/drain/drain.ts'
import { drainMetrics } from '../../../src/controllers/drain/drain-metrics.ts'
import { uncordonController } from '../../../src/controllers/drain/uncordon.ts'
import type { DrainWorld } from '../../../src/controllers/drain/world.ts'
import { budgetIndexes, nodeIndexes } from '../../../src/controllers/drain/world.ts'
import type { KubeClient } from '../../../src/kube/client.ts'
import { daemonSets } from '../../../src/kube/kinds/apps.ts'
import { nodes } from '../../../src/kube/kinds/core.ts'
import { podDisruptionBudgets } from '../../../src/kube/kinds/policy.ts'
import { RunningControllers } from '../../support/running-controllers.ts'

/** One process' worth of drain and uncordon controllers, on a clock that the test moves. */
export function runDrain(client: KubeClient, clock: VirtualClock): RunningControllers {
  return new RunningControllers(
    client,
    ({ follow, ...given }) => {
      const world: DrainWorld = {
        ...given,
        metrics: drainMetrics(given.metrics),
        nodes: follow(nodes, { indexes: nodeIndexes }),
        budgets: follow(podDisruptionBudgets, { indexes: budgetIndexes }),
        daemonSets: follow<KubeObject>(daemonSets),
        machineConfigNodes: follow(machineConfigNodes),
        drainPolicies: follow(drainPolicies),
        pools: follow(machineConfigPools),
        poolOf: (node) => node.metadata.labels?.['pool'],
      }
      return [drainController(world), uncordonController(world)]
    },
    { clock, stopGraceMs: 0 },
  )
}

/** What a process that is killed leaves behind: nothing but what the server has. */
export async function kill(running: RunningControllers, clock: VirtualClock): Promise<void> {
  const state = { over: false }
  const ended = running.kill().then(() => (state.over = true))
  while (!state.over) await clock.advance(10)
  await ended
}
