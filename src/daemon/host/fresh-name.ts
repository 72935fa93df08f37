import { createHash } from 'node:crypto'

/**
 * Under which name a file is made that will become another: beside it, and always the same for one file. So what a crash
 * leaves over is found and removed by the next operation on that file.
 */
export function freshName(name: string): string {
  const fresh = `.${name}.machinist`
  if (Buffer.byteLength(fresh) <= 255) return fresh
  return `.${createHash('sha256').update(name).digest('hex')}.machinist`
}

export const isFreshName = (name: string): boolean => /^\..+\.machinist$/s.test(name)
