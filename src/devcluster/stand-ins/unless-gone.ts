import { isConflict, isNotFound } from '@machinist/kube/failure'

/** For objects that others may end or change at any time: then there is nothing left to do, or it comes up again. */
export async function unlessGone(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}
