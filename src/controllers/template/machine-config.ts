import type { ControllerConfig, MachineConfig } from '../../api/kinds/resources.ts'
import { controllerConfigs } from '../../api/kinds/resources.ts'
import { generatedMachineConfig } from '../generated/machine-config.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import { ownerReference } from '../../fleet/render/owner.ts'
import type { RenderedPart } from './render-role.ts'

/** The MachineConfig of a part. The ControllerConfig owns it. */
export function machineConfigOf(
  { name, spec }: RenderedPart,
  role: string,
  controllerConfig: ControllerConfig,
  maker: Pick<Maker, 'build'>,
): MachineConfig {
  const isStored = controllerConfig.metadata.uid !== undefined
  const owner = isStored ? ownerReference(controllerConfigs, controllerConfig) : undefined
  return generatedMachineConfig({ name, role, spec, owner }, maker)
}
