import { nodeAnnotations, ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { poolOfRendered, readPinnedDigests } from '../../api/pinned-images.ts'
import type { KubeObject } from '@machinist/core/resource'
import type { NodeView } from '../follow/facts.ts'

/** What the cluster wants of this node, as far as that can be seen without a question. */
export interface Wish {
  readonly pool: string
  /** Of the image sets of its pool; absent: it pins none. */
  readonly digest?: string
}

/**
 * Pure. The pool is the one whose configuration the node was told to run. Undefined where something is not known: then
 * everything stays as it is.
 */
export function wishOf(
  node: NodeView | undefined,
  config: Readonly<KubeObject> | undefined,
): Wish | undefined {
  const pool = poolOfRendered(node?.annotations[nodeAnnotations.desiredConfig] ?? '')
  const said = config?.metadata.annotations?.[ownControllerConfigAnnotations.pinnedImages]
  const digests = readPinnedDigests(said)
  if (!config || pool === undefined || !digests) return undefined
  const digest = digests.get(pool)
  return { pool, ...(digest !== undefined && { digest }) }
}
