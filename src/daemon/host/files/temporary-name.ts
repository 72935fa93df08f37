import { createHash } from 'node:crypto'

/**
 * The name under which a replacement is created beside a file. It is always the same for one file, so that the next
 * operation on that file removes the leftover of a crash.
 */
export function temporaryName(name: string): string {
  const temporary = `.${name}.machinist`
  if (Buffer.byteLength(temporary) <= 255) return temporary
  return `.${createHash('sha256').update(name).digest('hex')}.machinist`
}

export const isTemporaryName = (name: string): boolean => /^\..+\.machinist$/s.test(name)
