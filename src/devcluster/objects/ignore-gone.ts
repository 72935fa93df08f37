import { isConflict, isNotFound } from '@machinist/kube/failure'

/** Ignores NotFound and Conflict: the object was deleted, or its change triggers another reconcile. */
export async function ignoreGone(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}
