import type { KubeObject } from '@machinist/core/objects/resource'
import type { VirtualClock } from '@machinist/core/virtual-clock'
import type { KubeClient } from '@machinist/kube/client/client'
import { daemonSets } from '@machinist/kube/kinds/apps'
import { nodes } from '@machinist/kube/kinds/core'
import { podDisruptionBudgets } from '@machinist/kube/kinds/policy'
import {
  drainPolicies,
  machineConfigNodes,
  machineConfigPools,
} from '../../../../src/api/kinds/resources.ts'
import { drainController } from '../../../../src/controllers/drain/drain.ts'
import type { DrainCaches } from '../../../../src/controllers/drain/inputs.ts'
import { budgetIndexes, nodeIndexes } from '../../../../src/controllers/drain/inputs.ts'
import { uncordonController } from '../../../../src/controllers/uncordon/uncordon.ts'
import { RunningControllers } from '../../../support/running-controllers.ts'

/** Runs the drain and uncordon controllers of one process, on a virtual clock. */
export function runDrain(client: KubeClient, clock: VirtualClock): RunningControllers {
  return new RunningControllers(
    client,
    ({ follow, ...context }) => {
      const caches: DrainCaches = {
        nodes: follow(nodes, { indexes: nodeIndexes }),
        budgets: follow(podDisruptionBudgets, { indexes: budgetIndexes }),
        daemonSets: follow<KubeObject>(daemonSets),
        machineConfigNodes: follow(machineConfigNodes),
        drainPolicies: follow(drainPolicies),
        pools: follow(machineConfigPools),
        poolOf: (node) => node.metadata.labels?.['pool'],
      }
      return [drainController(context, caches), uncordonController(context, caches)]
    },
    { clock, stopGraceMs: 0 },
  )
}

/** Kills the controllers without a graceful stop. */
export async function kill(running: RunningControllers, clock: VirtualClock): Promise<void> {
  const state = { over: false }
  const ended = running.kill().then(() => (state.over = true))
  while (!state.over) await clock.advance(10)
  await ended
}
