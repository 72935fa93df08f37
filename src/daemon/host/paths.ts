import { HostFailure } from './host-failure.ts'

/** The parts of a path that somebody gives us: clean and absolute, or refused. */
export function partsOf(path: string): string[] {
  if (path === '/') return []
  const parts = path.split('/').slice(1)
  const bad = !path.startsWith('/') || !parts.every(isCleanName)
  if (bad) throw new HostFailure(`${JSON.stringify(path)} is not a clean absolute path`, 'EINVAL')
  return parts
}

/** Whether it is the name of something, rather than of nothing, here or above. */
export const isCleanName = (name: string): boolean =>
  name !== '' && name !== '.' && name !== '..' && !name.includes('\0')

export const childOf = (directory: string, name: string): string =>
  directory === '/' ? `/${name}` : `${directory}/${name}`

export const parentOf = (place: string): string => place.slice(0, place.lastIndexOf('/')) || '/'

export const nameOf = (place: string): string => place.slice(place.lastIndexOf('/') + 1)

/** Whether a place is a directory or anywhere below it. */
export const isWithin = (place: string, directory: string): boolean =>
  directory === '/' || place === directory || place.startsWith(`${directory}/`)
