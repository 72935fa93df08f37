import { HostFailure } from './host-failure.ts'

/** The parts of a path; throws unless it is absolute and normalized. */
export function partsOf(path: string): string[] {
  if (path === '/') return []
  const parts = path.split('/').slice(1)
  const bad = !path.startsWith('/') || !parts.every(isCleanName)
  if (bad) {
    throw new HostFailure(`${JSON.stringify(path)} is not a normalized absolute path`, 'EINVAL')
  }
  return parts
}

/** Whether it is a name of an entry: not empty, `.` or `..`. */
export const isCleanName = (name: string): boolean =>
  name !== '' && name !== '.' && name !== '..' && !name.includes('\0')

export const childOf = (directory: string, name: string): string =>
  directory === '/' ? `/${name}` : `${directory}/${name}`

export const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/'

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Whether a path is a directory or below it. */
export const isWithin = (path: string, directory: string): boolean =>
  directory === '/' || path === directory || path.startsWith(`${directory}/`)
