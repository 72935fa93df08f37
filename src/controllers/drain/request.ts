import type { Node } from '@machinist/kube/kinds/core'
import { drainVerbs, nodeAnnotations } from '../../api/annotations.ts'

/** A request of a node's daemon that is not acknowledged yet. */
export interface PendingRequest {
  readonly verb: 'drain' | 'uncordon' | 'unknown'
  /** The value of desiredDrain, which the acknowledgement repeats. */
  readonly value: string
  /** The part after the verb: usually the name of a rendered MachineConfig. */
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
