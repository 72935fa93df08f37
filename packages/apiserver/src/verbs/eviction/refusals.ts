import type { RefusalDetails } from '../../refusal.ts'
import { Refusal } from '../../refusal.ts'

/** Too few would be left. */
export const wouldViolate = (budget: string, needed: number, healthy: number): Refusal =>
  tooMany(
    `The disruption budget ${budget} needs ${needed} healthy pods and has ${healthy} currently`,
  )

/** Nobody has counted yet: ask again in a while. */
export const stillProcessed = (budget: string): Refusal =>
  tooMany(`The disruption budget ${budget} is still being processed by the server.`, {
    retryAfterSeconds: 10,
  })

/** Kubernetes gives no reason with this one. */
export const severalBudgets = (): Refusal =>
  new Refusal(
    500,
    '',
    'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
  )

export const forbiddenBy = (budget: string, why: string): Refusal =>
  new Refusal(403, 'Forbidden', `poddisruptionbudget.policy "${budget}" is forbidden: ${why}`, {
    name: budget,
    group: 'policy',
    kind: 'poddisruptionbudget',
  })

function tooMany(message: string, details: RefusalDetails = {}): Refusal {
  return new Refusal(
    429,
    'TooManyRequests',
    "Cannot evict pod as it would violate the pod's disruption budget.",
    { causes: [{ reason: 'DisruptionBudget', message }], ...details },
  )
}
