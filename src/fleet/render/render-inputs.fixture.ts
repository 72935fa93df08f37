import type { MachineConfigSpec } from '../../api/kinds/machine-config.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { RenderInput } from './read-input.ts'
import { readInput } from './read-input.ts'

/** Short MachineConfigs and inputs for tests. */
export function configOf(
  name: string,
  spec: MachineConfigSpec = {},
  role = 'worker',
): MachineConfig {
  return { metadata: { name, labels: { 'machineconfiguration.openshift.io/role': role } }, spec }
}

export function inputOf(name: string, spec: MachineConfigSpec = {}): RenderInput {
  return readInput(configOf(name, spec))
}

/** A spec with an Ignition config. */
export function ignition(parts: object, version = '3.2.0'): MachineConfigSpec {
  return { config: { ignition: { version }, ...parts } }
}

export const fileWith = (path: string, text: string, more: object = {}): MachineConfigSpec =>
  ignition({ storage: { files: [{ path, contents: { source: `data:,${text}` }, ...more }] } })

export const noImages = { osImageURL: '', baseOSExtensionsContainerImage: '' }
