import type { MachineConfigSpec } from '../kinds/machine-config.ts'
import { kernelTypes } from '../names.ts'
import type { Release } from './extensions.ts'
import { extensionPackages, supportedExtensions } from './extensions.ts'

/** An invalid field. */
export interface FieldProblem {
  readonly path: string
  readonly message: string
}

/** Validates the fields outside the Ignition config that the CRD does not validate. Returns all problems. */
export function validateMachineConfig(
  spec: MachineConfigSpec | undefined,
  release: Release = 'main',
): FieldProblem[] {
  return [...kernelTypeProblems(spec?.kernelType, release), ...extensionProblems(spec, release)]
}

/** Validates the merge of all MachineConfigs of a pool. */
export function validateMerged(spec: MachineConfigSpec, release: Release = 'main'): FieldProblem[] {
  return [...validateMachineConfig(spec, release), ...kernelDevelProblems(spec)]
}

export function kernelTypesOf(release: Release = 'main'): string[] {
  const { default: standard, realtime, pages64k } = kernelTypes
  return release === '4.12' ? [standard, realtime] : [standard, realtime, pages64k]
}

function kernelTypeProblems(kernelType: string | undefined, release: Release): FieldProblem[] {
  const known = kernelTypesOf(release)
  if (!kernelType || known.includes(kernelType)) return []
  const message = `kernelType=${kernelType} is invalid: it must be one of ${known.join(', ')}`
  return [{ path: 'spec.kernelType', message }]
}

function extensionProblems(spec: MachineConfigSpec | undefined, release: Release): FieldProblem[] {
  const unknown = (spec?.extensions ?? []).filter((name) => !extensionPackages(name, release))
  if (unknown.length === 0) return []
  const message = `invalid extensions found: ${unknown.join(', ')}; supported are ${supportedExtensions(release).join(', ')}`
  return [{ path: 'spec.extensions', message }]
}

/** The packages of kernel-devel match the default kernel only. */
function kernelDevelProblems({ kernelType, extensions }: MachineConfigSpec): FieldProblem[] {
  if (!kernelType || kernelType === kernelTypes.default) return []
  if (!extensions?.includes('kernel-devel')) return []
  const message = `the extension kernel-devel needs the default kernel, but kernelType is ${kernelType}`
  return [{ path: 'spec.extensions', message }]
}
