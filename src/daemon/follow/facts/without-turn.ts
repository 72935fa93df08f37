import { nodeAnnotations, nodeStates } from '../../../api/annotations.ts'
import { annotationOf, stateOf } from '../../node/node-view.ts'
import { requestsDrain, drainStateOf } from './drain-request.ts'
import type { FollowFacts } from './facts.ts'

/**
 * Whether the disk is in another config than the desired one although the node has no turn. The rollout controller gives a
 * turn by setting desiredConfig to a config that differs from currentConfig. If both name the same config, etcd was restored
 * to an older state, or the config was taken back when its update was almost complete.
 */
export function isWithoutTurn({ node, disk }: Pick<FollowFacts, 'node' | 'disk'>): boolean {
  const desired = node && annotationOf(node, nodeAnnotations.desiredConfig)
  if (!node || desired === undefined || !disk.config || disk.bootstrap) return false
  const image = annotationOf(node, nodeAnnotations.desiredImage)
  const isInDesired = disk.config.metadata.name === desired && disk.image === image
  const hasTurn =
    annotationOf(node, nodeAnnotations.currentConfig) !== desired ||
    annotationOf(node, nodeAnnotations.currentImage) !== image
  // A drained node already counts as unavailable, so it may continue at once.
  const isDrained = stateOf(node) !== nodeStates.done && requestsDrain(drainStateOf(node))
  return !isInDesired && !hasTurn && !isDrained
}
