import { fstatSync, writeSync } from 'node:fs'

const descriptor = 2

/**
 * Writes to standard error. A full disk or a closed pipe loses the text but never ends the process. Files are written without a
 * stream, because a stream that failed once never writes again.
 */
export function standardError(): (text: string) => void {
  process.stderr.on('error', () => {})
  if (!isFile()) return (text) => void process.stderr.write(text)
  return (text) => {
    const bytes = Buffer.from(text)
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at)
    } catch {
      // There is no other place to report it.
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
