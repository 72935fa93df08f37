import type { MachineConfigPool } from '../../api/kinds/resources.ts'

export const machineConfigName = (pool: string): string => `99-${pool}-generated-registries`

/** The name that old releases used. */
export const oldName = ({ metadata: { name, uid } }: Readonly<MachineConfigPool>): string =>
  `99-${name}-${uid}-registries`

/** Whether it is a current name of a MachineConfig of this controller. */
export const isCurrentName = (name: string): boolean => /^99-.+-generated-registries$/.test(name)

/** Whether it may be a name of a MachineConfig of this controller, current or old. */
export const isGeneratedName = (name: string): boolean => /^99-.+-registries$/.test(name)
