import { nodeAnnotations, nodeStates } from '../../api/annotations.ts'
import type { MachineConfig } from '../../api/resources.ts'
import type { Interrupted } from '../apply/update.ts'
import type { DiskState } from '../state/disk-state.ts'
import type { DrainState } from './drain-request.ts'
import { drainStateOf } from './drain-request.ts'
import type { Facts, NodeView } from './facts.ts'

/** The facts once it is clear which config the machine is in and which it shall be in. */
export interface Situation {
  readonly facts: Facts
  readonly node: NodeView
  readonly state: string
  readonly drain: DrainState
  /** The machine has not joined yet: what it was served counts, not what first boot stored. */
  readonly bootstrapping: boolean
  /** Undefined: the machine is in no config yet. */
  readonly current?: MachineConfig
  readonly currentName: string
  readonly currentImage?: string
  readonly desiredName: string
  readonly desiredImage?: string
  readonly inDesired: boolean
}

/** The config of a machine that has none. */
export const emptyConfig: MachineConfig = { metadata: { name: 'mco-empty-mc' } }

export function situationOf(facts: Facts, node: NodeView, current: Current): Situation {
  const desiredName = text(node, nodeAnnotations.desiredConfig) ?? ''
  const desiredImage = text(node, nodeAnnotations.desiredImage)
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

export interface Current {
  /** Undefined: there is none. */
  readonly config?: MachineConfig
  readonly image?: string
}

/**
 * The config that the machine is in. The disk knows best: an API server that was restored from a backup may tell of the
 * past. Only of a machine that is joining, first boot has stored a config without its Ignition part.
 */
export function currentOf({ disk, configs }: Facts, node: NodeView): Current | 'missing' {
  if (disk.config && disk.bootstrap === undefined) {
    return { config: disk.config, ...(disk.image !== undefined && { image: disk.image }) }
  }
  const name = text(node, nodeAnnotations.currentConfig)
  if (name === undefined) return {}
  const image = text(node, nodeAnnotations.currentImage)
  const known = configs[name] ?? 'missing'
  const config = known === 'missing' ? servedAs(name, disk) : known
  return config ? { config, ...(image !== undefined && { image }) } : 'missing'
}

/** The names of the MachineConfigs that a decision needs from the cluster. */
export function configsNeeded(node: NodeView, disk: DiskState): string[] {
  const joined = disk.config !== undefined && disk.bootstrap === undefined
  const current = text(node, nodeAnnotations.currentConfig)
  const desired = text(node, nodeAnnotations.desiredConfig)
  const isOnDisk =
    joined &&
    disk.config.metadata.name === desired &&
    disk.image === text(node, nodeAnnotations.desiredImage)
  const needed = [joined ? undefined : current, isOnDisk ? undefined : desired]
  return [...new Set(needed.filter((name) => name !== undefined))]
}

/** Told without the cluster's help. */
interface AttemptFacts {
  readonly node?: NodeView | undefined
  readonly disk: DiskState
  readonly interrupted?: Interrupted | undefined
}

/** What would be tried now. A new attempt need not wait until the failure of another one is forgotten. */
export function attemptOf({ node, disk, interrupted }: AttemptFacts): string {
  if (interrupted) return `resume ${interrupted.update.plan.to}`
  const from = disk.config?.metadata.name ?? (node && text(node, nodeAnnotations.currentConfig))
  const to = node && text(node, nodeAnnotations.desiredConfig)
  const image = node && text(node, nodeAnnotations.desiredImage)
  return [from, to, image, disk.forced ? 'forced' : ''].map((part) => part ?? '').join(' ')
}

export const stateOf = (node: NodeView): string =>
  text(node, nodeAnnotations.state) ?? nodeStates.done

/** An annotation; empty is as good as absent. */
export const text = ({ annotations }: NodeView, key: string): string | undefined =>
  annotations[key] || undefined

function servedAs(name: string, { served }: DiskState): MachineConfig | undefined {
  return served?.metadata.name === name ? served : undefined
}
