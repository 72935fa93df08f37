import { HostFailure } from './host-failure.ts'
import { parentOf } from './paths.ts'

/**
 * System errors name the path by which we got there, which is that of a descriptor; people want the one on the machine, and
 * words. So they are no cause of what is thrown: messages are shown with their causes.
 */
export async function named<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof HostFailure) throw withoutDescriptors(error, path)
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    const doing = syscall === undefined ? '' : ` (${syscall})`
    throw new HostFailure(`${path}: ${meaning[code] ?? code}${doing}`, code)
  }
}

/** Programs that are given a descriptor name it when they fail; it is that of the directory. */
function withoutDescriptors(failure: HostFailure, path: string): HostFailure {
  const { message, code, cause } = failure
  const spoken = message.replace(descriptors, path === '/' ? path : parentOf(path))
  if (spoken === message) return failure
  return new HostFailure(spoken, code, cause === undefined ? {} : { cause })
}

const descriptors = /\/proc\/(?:self|\d+)\/fd\/\d+/g

/** Undefined where nothing is: a path that leads through a file has nothing at its end, too. */
export async function orAbsent<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

const absent = new Set(['ENOENT', 'ENOTDIR'])

export const isAbsent = (error: unknown): boolean => absent.has(codeOf(error))

export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''

const meaning: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EBUSY: 'is in use',
  EDQUOT: 'disk quota exceeded',
  EEXIST: 'something else is there already',
  EINVAL: 'is not possible here',
  EIO: 'input/output error, the disk may be failing',
  EISDIR: 'is a directory',
  ELOOP: 'is a symbolic link, or too many of them are on the way',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'does not exist',
  ENOSPC: 'no space left on the disk',
  ENOTDIR: 'something on the way is not a directory',
  ENOTEMPTY: 'is a directory with something in it',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  ETXTBSY: 'is a program that is running',
  EXDEV: 'is on another file system',
}
