import type { Journal } from '../journal/journal.ts'
import type { UpdateOutcome } from '../update.ts'
import { asError } from './as-error.ts'

/** Ends the journal. The update is over once the intent is removed, even if other files of the journal remain. */
export async function endJournal(journal: Journal, outcome: UpdateOutcome): Promise<UpdateOutcome> {
  try {
    // Retry once: the update itself is done, and a journal that stays needs an administrator.
    await journal.end().catch(() => journal.end())
    return outcome
  } catch (failure) {
    const rollbackError = asError(failure)
    const isOver = await journal.exists().then(
      (exists) => !exists,
      () => false,
    )
    if (isOver) return outcome
    const error = 'error' in outcome ? outcome.error : new Error('the journal cannot be removed')
    return { type: 'stuck', error, rollbackError }
  }
}
