import type { KubeObject } from '@machinist/core/objects/resource'
import { nodeAnnotations, ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { poolOfRendered, readPinnedDigests } from '../../api/pinned-images.ts'
import type { NodeView } from '../node/node-view.ts'

/** The desired pinned images of this node, from the caches. */
export interface DesiredImages {
  readonly pool: string
  /** The digest of the pool's image sets; absent: the pool pins none. */
  readonly digest?: string
}

/**
 * The desired images. Pure. The pool is that of the node's desiredConfig. Undefined if an input is missing or invalid: then the
 * images stay as they are.
 */
export function desiredImagesOf(
  node: NodeView | undefined,
  config: Readonly<KubeObject> | undefined,
): DesiredImages | undefined {
  const pool = poolOfRendered(node?.annotations[nodeAnnotations.desiredConfig] ?? '')
  const annotation = config?.metadata.annotations?.[ownControllerConfigAnnotations.pinnedImages]
  const digests = readPinnedDigests(annotation)
  if (!config || pool === undefined || !digests) return undefined
  const digest = digests.get(pool)
  return { pool, ...(digest !== undefined && { digest }) }
}
