import type { OsDeployment } from './host.ts'
import { imageName } from './image-name.ts'

/** The differences between two deployments, as text; empty if they are the same. */
export function deploymentDifferences(desired: OsDeployment, found: OsDeployment): string[] {
  const differences: string[] = []
  const compare = (what: string, a: string, b: string): void => {
    if (a !== b) differences.push(`${what} ${quoted(b)} instead of ${quoted(a)}`)
  }
  if (desired.image !== undefined) {
    compare('image', imageName(desired.image), imageName(found.image ?? ''))
  }
  compare('kernel arguments', desired.kernelArguments.join(' '), found.kernelArguments.join(' '))
  compare('kernel', desired.kernelType, found.kernelType)
  compare('extensions', sorted(desired.extensions), sorted(found.extensions))
  return differences
}

/** Ignores prefixes of images. The order of kernel arguments matters, that of extensions does not. */
export const sameDeployment = (a: OsDeployment, b: OsDeployment): boolean =>
  deploymentDifferences(a, b).length === 0

const quoted = (text: string): string => JSON.stringify(text)
const sorted = (names: readonly string[]): string => [...names].sort().join(' ')
