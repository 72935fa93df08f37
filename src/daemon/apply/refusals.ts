import { InvalidInput } from '@machinist/core/errors'
import type { Update } from './update.ts'

/** A plan that says itself that it cannot be done, or that was made for something else, is not begun. */
export function refuseUnusable({ plan, desired }: Update): void {
  if (!plan.reconcilable) throw new InvalidInput(plan.reasons.join('; '))
  if (plan.to !== desired.metadata.name) {
    throw new InvalidInput(`the plan leads to ${plan.to}, not to ${desired.metadata.name}`)
  }
}
