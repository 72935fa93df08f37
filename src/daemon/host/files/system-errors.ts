import { HostFailure } from '../host-failure.ts'
import { parentOf } from '../paths.ts'

/**
 * Converts system errors to HostFailures with the path on the machine: system errors name the path of a descriptor. The
 * original error is not the cause, because messages are shown with their causes.
 */
export async function withPath<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof HostFailure) throw hideDescriptors(error, path)
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    const call = syscall === undefined ? '' : ` (${syscall})`
    throw new HostFailure(`${path}: ${descriptions[code] ?? code}${call}`, code)
  }
}

/** Replaces the descriptor path that a program prints by the path of the directory. */
function hideDescriptors(failure: HostFailure, path: string): HostFailure {
  const { message, code, cause } = failure
  const readable = message.replace(descriptors, path === '/' ? path : parentOf(path))
  if (readable === message) return failure
  return new HostFailure(readable, code, cause === undefined ? {} : { cause })
}

const descriptors = /\/proc\/(?:self|\d+)\/fd\/\d+/g

/** Returns undefined if the path does not exist, also if a part above it is a file. */
export async function orAbsent<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

const absentCodes = new Set(['ENOENT', 'ENOTDIR'])

export const isAbsent = (error: unknown): boolean => absentCodes.has(codeOf(error))

export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''

const descriptions: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EBUSY: 'is in use',
  EDQUOT: 'disk quota exceeded',
  EEXIST: 'exists already',
  EINVAL: 'invalid argument',
  EIO: 'input/output error, the disk may be failing',
  EISDIR: 'is a directory',
  ELOOP: 'is a symbolic link, or the path has too many of them',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'does not exist',
  ENOSPC: 'no space left on the disk',
  ENOTDIR: 'a part of the path is not a directory',
  ENOTEMPTY: 'is a directory that is not empty',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  ETXTBSY: 'is a running program',
  EXDEV: 'is on another file system',
}
