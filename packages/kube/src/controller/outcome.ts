/** What a reconcile that went well wants next. Failures are thrown: see base/errors. */
export type Outcome =
  { readonly type: 'settled' } | { readonly type: 'look-again'; readonly afterMs: number }

/** All is as it should be until something changes. */
export const settled: Outcome = { type: 'settled' }

/** All is well, but time alone may change that: a certificate that ages, a pod that should be gone by then. */
export function lookAgainAfter(ms: number): Outcome {
  if (!Number.isFinite(ms) || ms < 0) throw new RangeError(`cannot look again after ${ms} ms`)
  return { type: 'look-again', afterMs: ms }
}
