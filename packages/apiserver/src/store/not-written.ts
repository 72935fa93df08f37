/** The disk did not take a commit. The writes in it were not done, and the store goes on with what it has. */
export class NotWritten extends Error {
  constructor(cause: Error) {
    super(
      `nothing was written, as the server's disk did not take it (${cause.message}): make room on it or repair it, then try again`,
      { cause },
    )
    this.name = 'NotWritten'
  }
}

/** SQLite's codes for a disk that is full, fails or may not be written to; each has variants above its first byte. */
const ofTheDisk = new Set([8, 10, 13, 14])

export function isOfTheDisk(error: unknown): error is Error {
  const { errcode } = error as { errcode?: number }
  return error instanceof Error && errcode !== undefined && ofTheDisk.has(errcode % 256)
}

/** What a commit failed with, as NotWritten if the disk is why. */
export function asNotWritten(error: unknown): unknown {
  return isOfTheDisk(error) ? new NotWritten(error) : error
}
