import { StatusError } from '../status/status-error.ts'

/** Ignores NotFound and Conflict errors: another writer was faster. */
export async function ignoreMissing(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof StatusError) || (error.code !== 404 && error.code !== 409)) throw error
  }
}
