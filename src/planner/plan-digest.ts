import { contentDigest } from '@machinist/core/encoding/digest'
import type { UpdatePlan } from './model/update-plan.ts'

/** Twelve digits that identify a plan: a node logs them, and `machinist plan` prints them. */
export function planDigest(plan: UpdatePlan): string {
  return contentDigest(plan).slice(0, 12)
}
