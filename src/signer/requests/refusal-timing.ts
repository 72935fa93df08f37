import type { RequestFacts } from './facts.ts'
import { reportAfterMs, requeueAfterMs } from './limits.ts'
import type { Refusal } from './refusals.ts'

type Age = Pick<RequestFacts, 'createdAt' | 'now'>

/** Whether to report a refusal: those that may resolve by themselves only after a time. */
export const isDue = ({ isFinal, check }: Refusal, { createdAt, now }: Age): boolean =>
  isFinal || check === 'FromTheFuture' || now - createdAt >= reportAfterMs

/** When to decide about a refused request again; undefined: no later change can make it pass. */
export function retryMs(refusal: Refusal, age: Age): number | undefined {
  if (refusal.isFinal) return undefined
  if (refusal.check === 'TooMany' || isDue(refusal, age)) return requeueAfterMs
  return reportAfterMs - (age.now - age.createdAt)
}
