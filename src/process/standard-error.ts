import { fstatSync, writeSync } from 'node:fs'

const descriptor = 2

/**
 * Writes to standard error and survives that it cannot: a full disk or a reader that went away costs the text, never the process.
 * Into a file it goes without a stream, as a stream that failed once writes nothing any more when there is room again.
 */
export function standardError(): (text: string) => void {
  process.stderr.on('error', () => {})
  if (!isFile()) return (text) => void process.stderr.write(text)
  return (text) => {
    const bytes = Buffer.from(text)
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at)
    } catch {
      // There is nowhere left to report it.
    }
  }
}

function isFile(): boolean {
  try {
    return fstatSync(descriptor).isFile()
  } catch {
    return false
  }
}
