import { until as untilUsual } from '@machinist/testing/until'

/** Whole clusters take their time on a busy machine. */
const patienceMs = 200_000

export function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  return untilUsual(what, condition, patienceMs)
}
