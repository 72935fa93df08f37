/** The result of a successful reconcile. Failures are thrown: see the error classes of @machinist/core. */
export type Outcome =
  { readonly type: 'settled' } | { readonly type: 'requeue'; readonly afterMs: number }

/** Nothing left to do until an input changes. */
export const settled: Outcome = { type: 'settled' }

/** Reconcile again after a time: for a state that changes with time, such as the age of a certificate. */
export function requeueAfter(ms: number): Outcome {
  if (!Number.isFinite(ms) || ms < 0) throw new RangeError(`cannot requeue after ${ms} ms`)
  return { type: 'requeue', afterMs: ms }
}
