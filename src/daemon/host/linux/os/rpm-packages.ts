import { kernelTypes } from '../../../../api/names.ts'
import {
  extensionPackages,
  supportedExtensions,
  type Release,
} from '../../../../api/validation/extensions.ts'
import { HostFailure } from '../../host-failure.ts'

/** The packages of the default kernel; not every version of the OS has all of them. */
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
  throw new HostFailure(`unknown kernel type ${JSON.stringify(kernelType)}`, 'EINVAL')
}

export function kernelTypeOf(packages: readonly string[]): string {
  const type = Object.entries(otherKernels).find(([, [core]]) => packages.includes(core!))?.[0]
  return type ?? kernelTypes.default
}

export const isOtherKernel = (name: string): boolean => /^kernel-(rt|64k)-/.test(name)

const releases: readonly Release[] = ['main', '4.16', '4.12']

/** The extensions whose packages are installed, with the package set of any release. */
export function extensionsOf(packages: readonly string[]): string[] {
  const isInstalled = (name: string): boolean =>
    releases.some((release) => {
      const needed = extensionPackages(name, release)
      return needed?.every((one) => packages.includes(one))
    })
  return knownExtensions.filter(isInstalled)
}

const knownExtensions = [...new Set(releases.flatMap(supportedExtensions))].sort()

/** The packages to add and to remove. Packages that belong to no extension are unmanaged and stay. */
export function packageChange(
  extensions: readonly string[],
  layered: readonly string[],
): { readonly add: string[]; readonly remove: string[] } {
  const installed = new Set(extensionsOf(layered))
  const add = extensions.filter((name) => !installed.has(name)).flatMap(packagesOf)
  const kept = new Set(extensions.flatMap(allPackagesOf))
  const obsolete = [...installed].filter((name) => !extensions.includes(name))
  const remove = new Set(obsolete.flatMap(allPackagesOf))
  return {
    add: [...new Set(add)].filter((name) => !layered.includes(name)).sort(),
    remove: [...remove].filter((name) => layered.includes(name) && !kept.has(name)).sort(),
  }
}

/** The added and removed packages that no config can have requested. */
export function foreignPackagesIn(
  packages: readonly string[],
  removed: readonly string[],
): string[] {
  const known = new Set([...knownExtensions.flatMap(allPackagesOf), 'kernel-rt-kvm'])
  const swapped: ReadonlySet<string> = new Set(packages.some(isOtherKernel) ? defaultKernel : [])
  return [
    ...packages.filter((name) => !known.has(name) && !isOtherKernel(name)),
    ...removed.filter((name) => !swapped.has(name)),
  ]
}

function packagesOf(extension: string): readonly string[] {
  const found = releases.map((release) => extensionPackages(extension, release)).find(Boolean)
  if (found) return found
  throw new HostFailure(`unknown extension ${JSON.stringify(extension)}`, 'EINVAL')
}

const allPackagesOf = (extension: string): readonly string[] =>
  releases.flatMap((release) => extensionPackages(extension, release) ?? [])
