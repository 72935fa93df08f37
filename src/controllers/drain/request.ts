import { drainVerbs, nodeAnnotations } from '../../api/annotations.ts'
import type { Node } from '@machinist/kube/kinds/core'

/** What a node's daemon has asked for and not got yet. */
export interface PendingRequest {
  readonly verb: 'drain' | 'uncordon' | 'unknown'
  /** The whole text: what will be acknowledged. */
  readonly value: string
  /** What it is for: the name of a rendered MachineConfig, on ordinary clusters. */
  readonly config: string
}

export function pendingRequest(node: Readonly<Node>): PendingRequest | undefined {
  const annotations = node.metadata.annotations ?? {}
  const value = annotations[nodeAnnotations.desiredDrain] ?? ''
  if (value === '' || value === annotations[nodeAnnotations.lastAppliedDrain]) return undefined
  const dash = value.indexOf('-')
  const verb = dash < 0 ? value : value.slice(0, dash)
  const known = verb === drainVerbs.drain || verb === drainVerbs.uncordon
  return { verb: known ? verb : 'unknown', value, config: dash < 0 ? '' : value.slice(dash + 1) }
}

export const isCordoned = (node: Readonly<Node>): boolean => node.spec?.unschedulable === true
