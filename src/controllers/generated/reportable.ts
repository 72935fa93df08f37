import { Waiting } from '@machinist/core/errors'
import type { Pass } from '@machinist/kube/controller/step-controller'

/**
 * Whether a pass is reported. After a failed write, only problems of the settings are certain, and success is not. If an object
 * changed in between, the next reconcile reports.
 */
export function isReportable(
  pass: Pass<unknown, unknown, unknown>,
  problems: readonly unknown[],
): boolean {
  if (pass.type === 'acted') return true
  return !(pass.failure instanceof Waiting) && problems.length > 0
}
