import { until as untilWithTimeout } from '@machinist/testing/until'

/** Whole clusters are slow on a busy machine. */
const timeoutMs = 200_000

export function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  return untilWithTimeout(what, condition, timeoutMs)
}
