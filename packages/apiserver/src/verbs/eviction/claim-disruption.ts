import { matchesLabels } from '@machinist/core/selectors'
import type { ApiObject } from '../../kinds/kind-rules.ts'
import { prefixOf } from '../object-key.ts'
import { shownObject } from '../stored-object.ts'
import { update } from '../update.ts'
import type { VerbContext } from '../verb-context.ts'
import { ownWrite, timestamp } from '../verb-context.ts'
import {
  selectorOfBudget,
  specOfBudget,
  statusOfBudget,
  withDisruptionAllowed,
  withStatus,
} from './budget.ts'
import { isReady } from './evicted-pod.ts'
import { forbiddenBy, severalBudgets, stillProcessed, wouldViolate } from './refusals.ts'

export interface Claim {
  readonly budget: string
  /** The disruption was taken off the budget. Otherwise the pod may go because it is not healthy anyway. */
  readonly counted: boolean
}

/** Takes one disruption off the budget of a pod, if it has one; refuses when there is none to take. */
export async function claimDisruption(
  context: VerbContext,
  pod: ApiObject,
  dryRun: boolean,
): Promise<Claim | undefined> {
  const kind = context.kinds.findResource('policy', 'poddisruptionbudgets')!
  const { namespace } = pod.metadata
  const [budget, ...more] = context.store
    .range({ prefix: prefixOf(kind, namespace) })
    .map((stored) => shownObject(kind, stored))
    .filter((each) => matchesLabels(selectorOfBudget(each), pod.metadata.labels))
  if (!budget) return undefined
  if (more.length > 0) throw severalBudgets()
  const { name } = budget.metadata
  if (!isReady(pod) && sparesUnhealthy(budget)) return { budget: name, counted: false }
  const now = timestamp(context.clock.now())
  const claimed = (current: ApiObject): ApiObject => withClaim(current, pod.metadata.name, now)
  if (dryRun) claimed(budget)
  else await update(context, { kind, namespace, name, subresource: 'status' }, claimed, ownWrite)
  return { budget: name, counted: true }
}

/** Whether pods that are not healthy may go without being counted. */
function sparesUnhealthy(budget: ApiObject): boolean {
  if (specOfBudget(budget).unhealthyPodEvictionPolicy === 'AlwaysAllow') return true
  const { currentHealthy, desiredHealthy } = statusOfBudget(budget)
  return currentHealthy >= desiredHealthy && desiredHealthy > 0
}

/** As many evictions as may be under way before those who count must have seen some of them. */
const mostDisrupted = 2000

/** The budget with one disruption less, and the pod noted as one that goes. */
function withClaim(budget: ApiObject, pod: string, now: string): ApiObject {
  const { name, generation = 0 } = budget.metadata
  const status = statusOfBudget(budget)
  const { disruptedPods = {}, disruptionsAllowed, desiredHealthy, currentHealthy } = status
  if ((status.observedGeneration ?? 0) < generation) throw stillProcessed(name)
  if (disruptionsAllowed < 0) throw forbiddenBy(name, 'pdb disruptions allowed is negative')
  if (Object.keys(disruptedPods).length > mostDisrupted) {
    throw forbiddenBy(
      name,
      'DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    )
  }
  if (disruptionsAllowed === 0) throw wouldViolate(name, desiredHealthy, currentHealthy)
  const claimed = {
    ...status,
    disruptedPods: { ...disruptedPods, [pod]: now },
    disruptionsAllowed: disruptionsAllowed - 1,
  }
  const isLast = claimed.disruptionsAllowed === 0
  return withStatus(budget, isLast ? withDisruptionAllowed(claimed, now) : claimed)
}
