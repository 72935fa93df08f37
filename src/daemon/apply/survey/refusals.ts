import { InvalidInput } from '@machinist/core/errors'
import type { Update } from '../update.ts'

/** Rejects a plan that is not reconcilable, or that leads to another config. */
export function refuseUnusablePlan({ plan, desired }: Update): void {
  if (!plan.reconcilable) throw new InvalidInput(plan.reasons.join('; '))
  if (plan.to !== desired.metadata.name) {
    throw new InvalidInput(`the plan leads to ${plan.to}, not to ${desired.metadata.name}`)
  }
}
