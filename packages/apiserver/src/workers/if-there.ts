import { Refusal } from '../refusal.ts'

/** What is gone already, or somebody else's by now, needs no more work. */
export async function ifThere(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof Refusal) || (error.code !== 404 && error.code !== 409)) throw error
  }
}
