/** What a reconcile that went well wants next. Failures are thrown: see base/errors. */
export type Outcome =
  { readonly type: 'settled' } | { readonly type: 'requeue'; readonly afterMs: number }

/** All is as it should be until something changes. */
export const settled: Outcome = { type: 'settled' }

/** All is well, but time alone may change that: a certificate that ages, a pod that should be gone by then. */
export function requeueAfter(ms: number): Outcome {
  if (!Number.isFinite(ms) || ms < 0) throw new RangeError(`cannot requeue after ${ms} ms`)
  return { type: 'requeue', afterMs: ms }
}
