import { names } from '../../api/names.ts'

/** The directory that `machinist bootstrap` writes and a server reads: the layout of MCO's bootstrap. Paths use `/`. */
export const bootstrapFolders = {
  pools: 'machine-pools',
  machineConfigs: 'machine-configs',
  controllerConfig: 'controller-config',
} as const

const extension = '.yaml'

export const poolFile = (pool: string): string => `${bootstrapFolders.pools}/${pool}${extension}`

export const machineConfigFile = (name: string): string =>
  `${bootstrapFolders.machineConfigs}/${name}${extension}`

export const controllerConfigFile = `${bootstrapFolders.controllerConfig}/${names.controllerConfig}${extension}`

/** The name of the object in a file; undefined for other files. */
export function objectNameOf(file: string): string | undefined {
  return file.endsWith(extension) ? file.slice(0, -extension.length) : undefined
}
