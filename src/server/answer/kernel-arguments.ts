import type { IgnitionVersion } from '@machinist/ignition/convert/versions'
import type { Config } from '@machinist/ignition/spec/config'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { LostField } from './refusal.ts'

export interface MovedArguments {
  readonly ignition: Config
  readonly machineConfig: Readonly<MachineConfig>
  /** Arguments that cannot be moved. */
  readonly lost: readonly LostField[]
}

/** The versions without kernel arguments. */
const withoutArguments: ReadonlySet<IgnitionVersion> = new Set(['2.2', '3.0', '3.1', '3.2'])

/**
 * Moves kernel arguments from Ignition to the MachineConfig for versions that do not have them: the daemon then adds them at first
 * boot. A MachineConfig cannot remove an argument of the OS.
 */
export function moveKernelArguments(
  ignition: Config,
  machineConfig: Readonly<MachineConfig>,
  version: IgnitionVersion,
): MovedArguments {
  const { kernelArguments, ...rest } = ignition
  const { shouldExist = [], shouldNotExist = [] } = kernelArguments ?? {}
  if (!kernelArguments || !withoutArguments.has(version)) {
    return { ignition, machineConfig, lost: [] }
  }
  if (shouldNotExist.length > 0) {
    const problem = 'needs version 3.3.0 or later'
    return {
      ignition,
      machineConfig,
      lost: [{ field: '$.kernelArguments.shouldNotExist', problem }],
    }
  }
  const existing = machineConfig.spec?.kernelArguments ?? []
  const moved = shouldExist.filter((argument) => !existing.includes(argument))
  const spec = { ...machineConfig.spec, kernelArguments: [...existing, ...moved] }
  return { ignition: rest, machineConfig: { ...machineConfig, spec }, lost: [] }
}
