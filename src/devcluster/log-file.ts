import { createWriteStream, openSync, renameSync, statSync } from 'node:fs'
import type { WriteStream } from 'node:fs'
import { InvalidInput, messageOf } from '@machinist/core/errors'

export interface LogFile {
  write(line: string): void
  /** Resolves when all is written. */
  close(): Promise<void>
}

const mostBytes = 20 * 1024 * 1024

/** A log of at most two files of this size: what is full becomes `….1`, and what was there before is gone. */
export function openLogFile(path: string, most = mostBytes): LogFile {
  const ending: Promise<void>[] = []
  let bytes = sizeOf(path)
  let file: WriteStream
  try {
    if (bytes > most) {
      renameSync(path, `${path}.1`)
      bytes = 0
    }
    file = opened(path)
  } catch (error) {
    throw new InvalidInput(`cannot write the log: ${messageOf(error)}`)
  }
  const turnOver = (): void => {
    try {
      renameSync(path, `${path}.1`)
      const next = opened(path)
      ending.push(ended(file))
      file = next
    } catch {
      // Then it goes on in the same file: a log that is too long is better than none.
    }
    bytes = 0
  }
  return {
    write(line) {
      const length = Buffer.byteLength(line)
      if (bytes > 0 && bytes + length > most) turnOver()
      bytes += length
      file.write(line)
    },
    async close() {
      await Promise.all([...ending, ended(file)])
    },
  }
}

/** At once, so that what is written next is in the new file whatever becomes of the old one. */
function opened(path: string): WriteStream {
  const file = createWriteStream(path, { fd: openSync(path, 'a', 0o600) })
  // A full disk must not end the cluster: then there is no log.
  file.on('error', () => {})
  return file
}

function ended(file: WriteStream): Promise<void> {
  return new Promise((resolve) => {
    file.once('error', () => resolve())
    file.end(() => resolve())
  })
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
