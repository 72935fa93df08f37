/** The disk did not accept a commit. Its writes were not applied; the store continues. */
export class NotWritten extends Error {
  constructor(cause: Error) {
    super(
      `the server's disk did not accept the write (${cause.message}): free disk space or repair the disk, then retry`,
      { cause },
    )
    this.name = 'NotWritten'
  }
}

/** SQLite's primary result codes for a full, failing or read-only disk. */
const ofTheDisk = new Set([8, 10, 13, 14])

export function isOfTheDisk(error: unknown): error is Error {
  const { errcode } = error as { errcode?: number }
  return error instanceof Error && errcode !== undefined && ofTheDisk.has(errcode % 256)
}

/** Converts disk errors to NotWritten. */
export function asNotWritten(error: unknown): unknown {
  return isOfTheDisk(error) ? new NotWritten(error) : error
}
