import { kernelTypes } from '../../../../api/names.ts'
import {
  extensionPackages,
  supportedExtensions,
  type Release,
} from '../../../../api/validation/extensions.ts'
import { HostFailure } from '../../host-failure.ts'

/** Of the usual kernel, as far as an image has them: not every generation has all. */
export const defaultKernel = [
  'kernel',
  'kernel-core',
  'kernel-modules',
  'kernel-modules-core',
  'kernel-modules-extra',
] as const

const otherKernels: Readonly<Record<string, readonly string[]>> = {
  [kernelTypes.realtime]: ['kernel-rt-core', 'kernel-rt-modules', 'kernel-rt-modules-extra'],
  [kernelTypes.pages64k]: [
    'kernel-64k-core',
    'kernel-64k-modules',
    'kernel-64k-modules-core',
    'kernel-64k-modules-extra',
  ],
}

export function kernelPackages(kernelType: string): readonly string[] {
  const packages = otherKernels[kernelType]
  if (packages) return packages
  throw new HostFailure(`there is no kernel of the type ${JSON.stringify(kernelType)}`, 'EINVAL')
}

export function kernelTypeOf(packages: readonly string[]): string {
  const type = Object.entries(otherKernels).find(([, [core]]) => packages.includes(core!))?.[0]
  return type ?? kernelTypes.default
}

export const isOtherKernel = (name: string): boolean => /^kernel-(rt|64k)-/.test(name)

const releases: readonly Release[] = ['main', '4.16', '4.12']

/** What somebody must have asked for, by the packages that are there; a set of any generation will do. */
export function extensionsOf(packages: readonly string[]): string[] {
  const there = (name: string): boolean =>
    releases.some((release) => {
      const needed = extensionPackages(name, release)
      return needed?.every((one) => packages.includes(one))
    })
  return everyExtension.filter(there)
}

const everyExtension = [...new Set(releases.flatMap(supportedExtensions))].sort()

/** Which packages to add and to take away. Packages that belong to no extension are somebody else's and stay. */
export function packageChange(
  extensions: readonly string[],
  layered: readonly string[],
): { readonly add: string[]; readonly remove: string[] } {
  const there = new Set(extensionsOf(layered))
  const add = extensions.filter((name) => !there.has(name)).flatMap(packagesOf)
  const kept = new Set(extensions.flatMap(everyPackageOf))
  const gone = [...there].filter((name) => !extensions.includes(name)).flatMap(everyPackageOf)
  return {
    add: [...new Set(add)].filter((name) => !layered.includes(name)).sort(),
    remove: [...new Set(gone)].filter((name) => layered.includes(name) && !kept.has(name)).sort(),
  }
}

/** Of all that somebody put on or took away, what no config can have asked for. */
export function foreignIn(packages: readonly string[], removed: readonly string[]): string[] {
  const known = new Set([...everyExtension.flatMap(everyPackageOf), 'kernel-rt-kvm'])
  const swapped: ReadonlySet<string> = new Set(packages.some(isOtherKernel) ? defaultKernel : [])
  return [
    ...packages.filter((name) => !known.has(name) && !isOtherKernel(name)),
    ...removed.filter((name) => !swapped.has(name)),
  ]
}

function packagesOf(extension: string): readonly string[] {
  const found = releases.map((release) => extensionPackages(extension, release)).find(Boolean)
  if (found) return found
  throw new HostFailure(`nobody knows the extension ${JSON.stringify(extension)}`, 'EINVAL')
}

const everyPackageOf = (extension: string): readonly string[] =>
  releases.flatMap((release) => extensionPackages(extension, release) ?? [])
