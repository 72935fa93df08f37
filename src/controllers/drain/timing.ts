/** Intervals of a drain, as in MCO. */
const second = 1000
const minute = 60 * second

/** Timeout of one request to the API server. */
export const requestMs = 15 * second
/** The duration of one attempt. */
const attemptMs = 90 * second
/** The interval between evictions in an attempt. */
export const evictEveryMs = 5 * second
/** The pause between attempts, */
export const shortPauseMs = minute
/** and the age from which on it is longer. */
export const slowAfterMs = 10 * minute
const longPauseMs = 5 * minute
/** The age from which on a drain is reported as failed. */
export const defaultTimeoutMs = 60 * minute

export type DrainPhase =
  /** An attempt is in progress. */
  | { readonly pausing: false; readonly sinceMs: number; readonly leftMs: number }
  /** The last attempt has failed, the next one is not due yet. */
  | { readonly pausing: true; readonly leftMs: number }

/** The pause after an attempt that failed at this age of the drain. */
export const pauseAfter = (ageMs: number): number =>
  ageMs <= slowAfterMs ? shortPauseMs : longPauseMs

/**
 * The phase of a drain of this age. It depends on the age only, so that a new leader continues with nothing but the recorded
 * start.
 */
export function phaseAt(ageMs: number): DrainPhase {
  let began = 0
  for (;;) {
    const end = began + attemptMs
    if (ageMs < end) return { pausing: false, sinceMs: ageMs - began, leftMs: end - ageMs }
    const next = end + pauseAfter(end)
    if (ageMs < next) return { pausing: true, leftMs: next - ageMs }
    // From the first long pause on all rounds have the same length, so finished ones are skipped at once.
    const isLong = pauseAfter(end) === longPauseMs
    const round = attemptMs + longPauseMs
    began = isLong ? began + Math.floor((ageMs - began) / round) * round : next
  }
}
