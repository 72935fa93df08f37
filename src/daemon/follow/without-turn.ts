import { nodeAnnotations, nodeStates } from '../../api/annotations.ts'
import { asksForDrain, drainStateOf } from './drain-request.ts'
import type { Facts } from './facts.ts'
import { stateOf, text } from './situation.ts'

/**
 * Whether the disk is in another config than is desired although no controller asked for an update. The rollout controller
 * gives a node its turn by a desiredConfig that differs from the currentConfig on the Node. Where both name the same config,
 * etcd was restored to an older state, or the config was taken back when its update was all but over.
 */
export function isWithoutTurn({ node, disk }: Pick<Facts, 'node' | 'disk'>): boolean {
  const desired = node && text(node, nodeAnnotations.desiredConfig)
  if (!node || desired === undefined || !disk.config || disk.bootstrap) return false
  const image = text(node, nodeAnnotations.desiredImage)
  const isInDesired = disk.config.metadata.name === desired && disk.image === image
  const isTold =
    text(node, nodeAnnotations.currentConfig) !== desired ||
    text(node, nodeAnnotations.currentImage) !== image
  // Drained already, and so counted as out of service: it may go on at once.
  const isDrained = stateOf(node) !== nodeStates.done && asksForDrain(drainStateOf(node))
  return !isInDesired && !isTold && !isDrained
}
