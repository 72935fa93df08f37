import type { OsDeployment } from './host.ts'
import { imageName } from './image-name.ts'

/** What one deployment has otherwise than the other, for people; nothing if they are the same. */
export function unlike(wanted: OsDeployment, found: OsDeployment): string[] {
  const differences: string[] = []
  const compare = (what: string, a: string, b: string): void => {
    if (a !== b) differences.push(`${what} ${quoted(b)} instead of ${quoted(a)}`)
  }
  if (wanted.image !== undefined) {
    compare('image', imageName(wanted.image), imageName(found.image ?? ''))
  }
  compare('kernel arguments', wanted.kernelArguments.join(' '), found.kernelArguments.join(' '))
  compare('kernel', wanted.kernelType, found.kernelType)
  compare('extensions', sorted(wanted.extensions), sorted(found.extensions))
  return differences
}

/** However an image is spelled. The order of kernel arguments matters, that of extensions does not. */
export const sameDeployment = (a: OsDeployment, b: OsDeployment): boolean =>
  unlike(a, b).length === 0

const quoted = (text: string): string => JSON.stringify(text)
const sorted = (names: readonly string[]): string => [...names].sort().join(' ')
