import { asError } from './as-error.ts'
import type { Journal } from './journal.ts'
import type { Outcome } from './update.ts'

/** Ends the journal. Once the intent is gone, it is over, whatever else is left. */
export async function ended(journal: Journal, outcome: Outcome): Promise<Outcome> {
  try {
    // Everything is done: worth a second try before somebody has to look at it.
    await journal.end().catch(() => journal.end())
    return outcome
  } catch (failure) {
    const rollbackError = asError(failure)
    const isOver = await journal.isThere().then(
      (isThere) => !isThere,
      () => false,
    )
    if (isOver) return outcome
    const error = 'error' in outcome ? outcome.error : new Error('the journal cannot be ended')
    return { is: 'stuck', error, rollbackError }
  }
}
