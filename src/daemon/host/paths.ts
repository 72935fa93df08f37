import { HostFailure } from './host-failure.ts'

/** The parts of a path that somebody gives us: clean and absolute, or refused. */
export function partsOf(path: string): string[] {
  if (path === '/') return []
  const parts = path.split('/').slice(1)
  const bad =
    !path.startsWith('/') || path.includes('\0') || parts.some((part) => unclean.has(part))
  if (bad) throw new HostFailure(`${JSON.stringify(path)} is not a clean absolute path`, 'EINVAL')
  return parts
}

const unclean = new Set(['', '.', '..'])

export const childOf = (directory: string, name: string): string =>
  directory === '/' ? `/${name}` : `${directory}/${name}`

export const parentOf = (place: string): string => place.slice(0, place.lastIndexOf('/')) || '/'

export const nameOf = (place: string): string => place.slice(place.lastIndexOf('/') + 1)

/** Whether a place is a directory or anywhere below it. */
export const isWithin = (place: string, directory: string): boolean =>
  directory === '/' || place === directory || place.startsWith(`${directory}/`)
