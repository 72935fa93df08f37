import { contentDigest } from '@machinist/core/digest'
import type { UpdatePlan } from './update-plan.ts'

/** Twelve digits that tell one plan from another: the same on a node and wherever the plan was looked at before. */
export function planDigest(plan: UpdatePlan): string {
  return contentDigest(plan).slice(0, 12)
}
