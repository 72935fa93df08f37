import type { MachineConfigSpec } from '../kinds/machine-config.ts'
import type { Release } from './extensions.ts'
import { kernelTypes } from '../names.ts'
import { extensionPackages, supportedExtensions } from './extensions.ts'

/** Something in an object that cannot be used, and where. */
export interface Problem {
  readonly path: string
  readonly message: string
}

/** What the CRD does not check and what needs no look into the Ignition part. Every problem, not only the first. */
export function validateMachineConfig(
  spec: MachineConfigSpec | undefined,
  release: Release = 'main',
): Problem[] {
  return [...kernelTypeProblems(spec?.kernelType, release), ...extensionProblems(spec, release)]
}

/** What can only be judged once all MachineConfigs of a pool are merged. */
export function validateMerged(spec: MachineConfigSpec, release: Release = 'main'): Problem[] {
  return [...validateMachineConfig(spec, release), ...kernelDevelProblems(spec)]
}

export function kernelTypesOf(release: Release = 'main'): string[] {
  const { default: standard, realtime, pages64k } = kernelTypes
  return release === '4.12' ? [standard, realtime] : [standard, realtime, pages64k]
}

function kernelTypeProblems(kernelType: string | undefined, release: Release): Problem[] {
  const known = kernelTypesOf(release)
  if (!kernelType || known.includes(kernelType)) return []
  const message = `kernelType=${kernelType} is invalid: it must be one of ${known.join(', ')}`
  return [{ path: 'spec.kernelType', message }]
}

function extensionProblems(spec: MachineConfigSpec | undefined, release: Release): Problem[] {
  const unknown = (spec?.extensions ?? []).filter((name) => !extensionPackages(name, release))
  if (unknown.length === 0) return []
  const message = `invalid extensions found: ${unknown.join(', ')}; supported are ${supportedExtensions(release).join(', ')}`
  return [{ path: 'spec.extensions', message }]
}

/** The headers and sources of this extension are those of the default kernel. */
function kernelDevelProblems({ kernelType, extensions }: MachineConfigSpec): Problem[] {
  if (!kernelType || kernelType === kernelTypes.default) return []
  if (!extensions?.includes('kernel-devel')) return []
  const message = `the extension kernel-devel needs the default kernel, but kernelType is ${kernelType}`
  return [{ path: 'spec.extensions', message }]
}
