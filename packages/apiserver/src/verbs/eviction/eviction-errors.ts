import type { StatusDetails } from '../../status/status-error.ts'
import { StatusError } from '../../status/status-error.ts'

export const wouldViolate = (budget: string, needed: number, healthy: number): StatusError =>
  tooMany(
    `The disruption budget ${budget} needs ${needed} healthy pods and has ${healthy} currently`,
  )

/** The budget has not been counted yet: the client must retry. */
export const stillProcessed = (budget: string): StatusError =>
  tooMany(`The disruption budget ${budget} is still being processed by the server.`, {
    retryAfterSeconds: 10,
  })

/** kube-apiserver sends no reason with this error. */
export const severalBudgets = (): StatusError =>
  new StatusError(
    500,
    '',
    'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
  )

export const forbiddenBy = (budget: string, why: string): StatusError =>
  new StatusError(403, 'Forbidden', `poddisruptionbudget.policy "${budget}" is forbidden: ${why}`, {
    name: budget,
    group: 'policy',
    kind: 'poddisruptionbudget',
  })

function tooMany(message: string, details: StatusDetails = {}): StatusError {
  return new StatusError(
    429,
    'TooManyRequests',
    "Cannot evict pod as it would violate the pod's disruption budget.",
    { causes: [{ reason: 'DisruptionBudget', message }], ...details },
  )
}
