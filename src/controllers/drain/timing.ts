/** Times of a drain, all as the original has them. */
const second = 1000
const minute = 60 * second

/** One attempt goes on for this long, */
const attemptMs = 90 * second
/** asking anew for every pod that has not left, this often. */
export const evictEveryMs = 5 * second
/** Then it rests: for a while at first, */
export const shortRestMs = minute
/** and for longer once the drain is this old. */
export const slowAfterMs = 10 * minute
const longRestMs = 5 * minute
/** From here on people are told that something is wrong. */
export const defaultTimeoutMs = 60 * minute

export type Turn =
  /** An attempt is under way. */
  | { readonly resting: false; readonly sinceMs: number; readonly leftMs: number }
  /** The last attempt has failed, the next one is not due yet. */
  | { readonly resting: true; readonly leftMs: number }

/** How long to rest after an attempt that failed when the drain was this old. */
export const restAfter = (ageMs: number): number =>
  ageMs <= slowAfterMs ? shortRestMs : longRestMs

/**
 * Where a drain of this age is. It follows from the age alone, so that whoever takes over goes on in step, with nothing
 * to remember but when the drain began.
 */
export function turnAt(ageMs: number): Turn {
  let began = 0
  for (;;) {
    const end = began + attemptMs
    if (ageMs < end) return { resting: false, sinceMs: ageMs - began, leftMs: end - ageMs }
    const next = end + restAfter(end)
    if (ageMs < next) return { resting: true, leftMs: next - ageMs }
    // From the first long rest on all rounds are alike, so those that are over are skipped at once.
    const isLong = restAfter(end) === longRestMs
    const round = attemptMs + longRestMs
    began = isLong ? began + Math.floor((ageMs - began) / round) * round : next
  }
}
