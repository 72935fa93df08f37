export const machineConfigName = (pool: string): string =>
  `97-${pool}-generated-credentialproviderconfig`

/** Whether it is the name of a MachineConfig of this controller. */
export const isGeneratedName = (name: string): boolean =>
  /^97-.+-generated-credentialproviderconfig$/.test(name)
