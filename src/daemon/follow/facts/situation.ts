import { nodeAnnotations } from '../../../api/annotations.ts'
import type { MachineConfig } from '../../../api/kinds/resources.ts'
import type { InterruptedUpdate } from '../../apply/update.ts'
import type { DiskState } from '../../state/disk-state.ts'
import type { NodeView } from '../../node/node-view.ts'
import { annotationOf, stateOf } from '../../node/node-view.ts'
import type { DrainState } from './drain-request.ts'
import { drainStateOf } from './drain-request.ts'
import type { FollowFacts } from './facts.ts'

/** The facts, with the current and the desired config resolved. */
export interface NodeSituation {
  readonly facts: FollowFacts
  readonly node: NodeView
  readonly state: string
  readonly drain: DrainState
  /** The machine has not joined yet: the served config counts, not the one that first boot stored. */
  readonly bootstrapping: boolean
  /** Absent: the machine has no config yet. */
  readonly current?: MachineConfig
  readonly currentName: string
  readonly currentImage?: string
  readonly desiredName: string
  readonly desiredImage?: string
  readonly inDesired: boolean
}

/** Stands for the config of a machine that has none. */
export const emptyConfig: MachineConfig = { metadata: { name: 'mco-empty-mc' } }

export function situationOf(
  facts: FollowFacts,
  node: NodeView,
  current: CurrentConfig,
): NodeSituation {
  const desiredName = annotationOf(node, nodeAnnotations.desiredConfig) ?? ''
  const desiredImage = annotationOf(node, nodeAnnotations.desiredImage)
  const currentName = (current.config ?? emptyConfig).metadata.name
  const inDesired =
    current.config !== undefined && currentName === desiredName && current.image === desiredImage
  return {
    facts,
    node,
    state: stateOf(node),
    drain: drainStateOf(node),
    bootstrapping: facts.disk.bootstrap !== undefined,
    ...(current.config && { current: current.config }),
    currentName,
    ...(current.image !== undefined && { currentImage: current.image }),
    desiredName,
    ...(desiredImage !== undefined && { desiredImage }),
    inDesired,
  }
}

export interface CurrentConfig {
  /** Absent: the machine has no config. */
  readonly config?: MachineConfig
  readonly image?: string
}

/**
 * The config that the machine is in. The disk takes precedence over the API server, which may have been restored from a
 * backup. For a joining machine the disk does not count: first boot stores a config without its Ignition part.
 */
export function currentConfigOf(
  { disk, configs }: FollowFacts,
  node: NodeView,
): CurrentConfig | 'missing' {
  if (disk.config && disk.bootstrap === undefined) {
    return { config: disk.config, ...(disk.image !== undefined && { image: disk.image }) }
  }
  const name = annotationOf(node, nodeAnnotations.currentConfig)
  if (name === undefined) return {}
  const image = annotationOf(node, nodeAnnotations.currentImage)
  const known = configs[name] ?? 'missing'
  const config = known === 'missing' ? servedAs(name, disk) : known
  return config ? { config, ...(image !== undefined && { image }) } : 'missing'
}

/** The names of the MachineConfigs that a decision needs from the cluster. */
export function neededConfigs(node: NodeView, disk: DiskState): string[] {
  const joined = disk.config !== undefined && disk.bootstrap === undefined
  const current = annotationOf(node, nodeAnnotations.currentConfig)
  const desired = annotationOf(node, nodeAnnotations.desiredConfig)
  const isOnDisk =
    joined &&
    disk.config.metadata.name === desired &&
    disk.image === annotationOf(node, nodeAnnotations.desiredImage)
  const needed = [joined ? undefined : current, isOnDisk ? undefined : desired]
  return [...new Set(needed.filter((name) => name !== undefined))]
}

/** Facts that need no request to the API server. */
interface AttemptFacts {
  readonly node?: NodeView | undefined
  readonly disk: DiskState
  readonly interrupted?: InterruptedUpdate | undefined
}

/** A key for what would be attempted now: the back-off of one attempt does not delay another. */
export function attemptOf({ node, disk, interrupted }: AttemptFacts): string {
  if (interrupted) return `resume ${interrupted.update.plan.to}`
  const from =
    disk.config?.metadata.name ?? (node && annotationOf(node, nodeAnnotations.currentConfig))
  const to = node && annotationOf(node, nodeAnnotations.desiredConfig)
  const image = node && annotationOf(node, nodeAnnotations.desiredImage)
  return [from, to, image, disk.forced ? 'forced' : ''].map((part) => part ?? '').join(' ')
}

function servedAs(name: string, { served }: DiskState): MachineConfig | undefined {
  return served?.metadata.name === name ? served : undefined
}
