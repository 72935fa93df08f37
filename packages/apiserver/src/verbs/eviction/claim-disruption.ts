import { matchesLabels } from '@machinist/core/objects/selectors'
import { timestamp } from '@machinist/core/timestamp'
import type { ApiObject } from '../../kinds/kind-rules.ts'
import { prefixOf } from '../../objects/object-key.ts'
import { toServedObject } from '../../objects/stored-object.ts'
import { update } from '../update.ts'
import type { VerbContext } from '../verb-context.ts'
import { ownWrite } from '../verb-context.ts'
import {
  selectorOfBudget,
  specOfBudget,
  statusOfBudget,
  withDisruptionAllowed,
  withStatus,
} from './budget.ts'
import { isReady } from './evicted-pod.ts'
import { forbiddenBy, severalBudgets, stillProcessed, wouldViolate } from './eviction-errors.ts'

export interface DisruptionClaim {
  readonly budget: string
  /** The disruption was deducted from the budget. Otherwise the pod can be evicted because it is unhealthy. */
  readonly counted: boolean
}

/** Deducts a disruption from the budget of a pod, if it has one; throws a StatusError if none is allowed. */
export async function claimDisruption(
  context: VerbContext,
  pod: ApiObject,
  dryRun: boolean,
): Promise<DisruptionClaim | undefined> {
  const kind = context.kinds.findResource('policy', 'poddisruptionbudgets')!
  const { namespace } = pod.metadata
  const [budget, ...more] = context.store
    .range({ prefix: prefixOf(kind, namespace) })
    .map((stored) => toServedObject(kind, stored))
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

/** Whether unhealthy pods can be evicted without being counted. */
function sparesUnhealthy(budget: ApiObject): boolean {
  if (specOfBudget(budget).unhealthyPodEvictionPolicy === 'AlwaysAllow') return true
  const { currentHealthy, desiredHealthy } = statusOfBudget(budget)
  return currentHealthy >= desiredHealthy && desiredHealthy > 0
}

/** Limit of pending evictions that the disruption worker has not observed yet. */
const maxDisrupted = 2000

/** The budget with one disruption less and the pod in disruptedPods. */
function withClaim(budget: ApiObject, pod: string, now: string): ApiObject {
  const { name, generation = 0 } = budget.metadata
  const status = statusOfBudget(budget)
  const { disruptedPods = {}, disruptionsAllowed, desiredHealthy, currentHealthy } = status
  if ((status.observedGeneration ?? 0) < generation) throw stillProcessed(name)
  if (disruptionsAllowed < 0) throw forbiddenBy(name, 'pdb disruptions allowed is negative')
  if (Object.keys(disruptedPods).length > maxDisrupted) {
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
