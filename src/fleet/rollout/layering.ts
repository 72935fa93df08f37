import { annotations } from '../../api/annotations.ts'
import { isCondition, machineOSBuildConditions as build } from '../../api/conditions.ts'
import type { MachineOSBuild, MachineOSConfig } from '../../api/kinds/resources.ts'

/** The state of the OS image of a layered pool. */
export type ImageState =
  | { readonly type: 'not layered' }
  | { readonly type: 'built'; readonly image: string }
  | { readonly type: 'awaited'; readonly because: string; readonly pausedBecause: string }
  | { readonly type: 'failed'; readonly because: string }

/** A pool is layered if it has a MachineOSConfig or a MachineOSBuild. */
export function imageState(
  config: Readonly<MachineOSConfig> | undefined,
  built: Readonly<MachineOSBuild> | undefined,
): ImageState {
  if (!config && !built) return { type: 'not layered' }
  if (!config) {
    const { name } = built!.metadata
    return { type: 'failed', because: `MachineOSBuild ${name} belongs to no MachineOSConfig` }
  }
  const { name } = config.metadata
  if (!built) {
    const because = `waiting for a new build of MachineOSConfig ${name} to start`
    return { type: 'awaited', because, pausedBecause: because }
  }
  return stateOfBuild(config, built)
}

function stateOfBuild(
  config: Readonly<MachineOSConfig>,
  built: Readonly<MachineOSBuild>,
): ImageState {
  const { name } = built.metadata
  const conditions = built.status?.conditions
  if (isCondition(conditions, build.failed)) {
    return {
      type: 'failed',
      because: `update stopped due to build failure of MachineOSBuild ${name}`,
    }
  }
  if (isCondition(conditions, build.interrupted)) {
    return {
      type: 'failed',
      because: `update stopped due to interruption of MachineOSBuild ${name}`,
    }
  }
  if (isCondition(conditions, build.succeeded)) {
    const image = config.status?.currentImagePullSpec
    const result = built.status?.digestedImagePushSpec
    if (image && (result === undefined || result === image)) return { type: 'built', image }
    return awaited(
      `the image of MachineOSBuild ${name} to be set in status.currentImagePullSpec`,
      'is built',
    )
  }
  if (isCondition(conditions, build.building)) {
    return awaited(`the build ${name} to complete`, 'is in progress')
  }
  if (isCondition(conditions, build.prepared)) {
    return awaited(`the build ${name} to start`, 'is prepared but will not roll out')
  }
  return awaited(`the build ${name} to start`, 'is created but not yet started')
}

const awaited = (what: string, whilePaused: string): ImageState => ({
  type: 'awaited',
  because: `waiting for ${what}`,
  pausedBecause: `its build ${whilePaused}`,
})

/** The build of a pool's rendered config: the current one, or any build for the same config and MachineOSConfig. */
export function buildFor(
  config: Readonly<MachineOSConfig> | undefined,
  rendered: string,
  builds: readonly Readonly<MachineOSBuild>[],
): Readonly<MachineOSBuild> | undefined {
  const ofRendered = builds.filter(({ spec }) => spec.machineConfig.name === rendered)
  const named = config?.metadata.annotations?.[annotations.currentMachineOSBuild]
  return (
    ofRendered.find(({ metadata }) => metadata.name === named) ??
    ofRendered.find(({ spec }) => spec.machineOSConfig.name === config?.metadata.name)
  )
}
