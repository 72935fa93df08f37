import { createWriteStream, openSync, renameSync, statSync } from 'node:fs'
import type { WriteStream } from 'node:fs'
import { InvalidInput, messageOf } from '@machinist/core/errors'

export interface LogFile {
  write(line: string): void
  /** Resolves when everything is written. */
  close(): Promise<void>
}

const defaultMaxBytes = 20 * 1024 * 1024

/** A log of at most two files of this size: a full file replaces `….1`. */
export function openLogFile(path: string, maxBytes = defaultMaxBytes): LogFile {
  const closing: Promise<void>[] = []
  let bytes = sizeOf(path)
  let file: WriteStream
  try {
    if (bytes > maxBytes) {
      renameSync(path, `${path}.1`)
      bytes = 0
    }
    file = open(path)
  } catch (error) {
    throw new InvalidInput(`cannot write the log: ${messageOf(error)}`)
  }
  const rotate = (): void => {
    try {
      renameSync(path, `${path}.1`)
      const next = open(path)
      closing.push(closed(file))
      file = next
    } catch {
      // Continue in the same file: a log that is too long is better than none.
    }
    bytes = 0
  }
  return {
    write(line) {
      const length = Buffer.byteLength(line)
      if (bytes > 0 && bytes + length > maxBytes) rotate()
      bytes += length
      file.write(line)
    },
    async close() {
      await Promise.all([...closing, closed(file)])
    },
  }
}

/** Opens the file synchronously, so that the next line goes to the new file. */
function open(path: string): WriteStream {
  const file = createWriteStream(path, { fd: openSync(path, 'a', 0o600) })
  // A full disk must not stop the cluster: lines are lost instead.
  file.on('error', () => {})
  return file
}

function closed(file: WriteStream): Promise<void> {
  return new Promise((resolve) => {
    file.once('error', () => resolve())
    file.end(() => resolve())
  })
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
