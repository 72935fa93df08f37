import {
  drainPolicies,
  machineConfigNodes,
  machineConfigPools,
} from '../../../../src/api/resources.ts'
import type { KubeObject } from '@machinist/core/resource'
import type { VirtualClock } from '@machinist/core/virtual-clock'
import { drainController } from '../../../../src/controllers/drain/drain.ts'
import { drainMetrics } from '../../../../src/controllers/drain/drain-metrics.ts'
import { uncordonController } from '../../../../src/controllers/drain/uncordon.ts'
import type { DrainWorld } from '../../../../src/controllers/drain/world.ts'
import { budgetIndexes, nodeIndexes } from '../../../../src/controllers/drain/world.ts'
import type { KubeClient } from '@machinist/kube/client'
import { daemonSets } from '@machinist/kube/kinds/apps'
import { nodes } from '@machinist/kube/kinds/core'
import { podDisruptionBudgets } from '@machinist/kube/kinds/policy'
import { RunningControllers } from '../../../support/running-controllers.ts'

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
