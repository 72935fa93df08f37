import { nodeAnnotations } from '../../api/annotations.ts'
import { newMachineConfigNode } from '../../api/new-machine-config-node.ts'
import type { MachineConfigNode } from '../../api/resources.ts'
import { sameJson } from '@machinist/core/json'
import type { OwnerReference } from '@machinist/core/resource'
import type { Node } from '@machinist/kube/kinds/core'

/** All that is known about one node and its MachineConfigNode. */
export interface Facts {
  /** Undefined when there is certainly no such node. */
  readonly node: Readonly<Node> | undefined
  /** The pool that decides its configuration. */
  readonly pool: string | undefined
  readonly found: Readonly<MachineConfigNode> | undefined
}

/** What is to be done. Each has the one reason for it, for logs. */
export type Plan =
  | { readonly type: 'nothing' }
  | { readonly type: 'create'; readonly because: string; readonly object: MachineConfigNode }
  | { readonly type: 'remove'; readonly because: string; readonly found: MachineConfigNode }
  | { readonly type: 'change'; readonly because: string; readonly change: Change }

/** A merge patch. Its status is nobody's business here. */
export interface Change {
  /** With owners, which are a list: refused unless the object is as it was seen. */
  readonly metadata?: {
    readonly ownerReferences: readonly OwnerReference[]
    readonly resourceVersion?: string
  }
  readonly spec?: object
}

/** Pure: one MachineConfigNode for each node, and none without one. */
export function decide({ node, pool, found }: Facts): Plan {
  if (!node) return found ? remove(found, 'there is no such node') : nothing
  const wanted = wantedFor(node, pool)
  if (!found) return { type: 'create', because: 'there is none', object: wanted }
  if (found.metadata.deletionTimestamp) return nothing
  if (isOfAnother(found, node)) return remove(found, 'it tells of an earlier node of this name')
  const spec = specChange(found, wanted)
  const metadata = ownerChange(found, wanted)
  if (!spec && !metadata) return nothing
  const because = metadata ? 'it is adopted' : 'its node is in, or was told, something else'
  return {
    type: 'change',
    because,
    change: { ...(metadata && { metadata }), ...(spec && { spec }) },
  }
}

const nothing: Plan = { type: 'nothing' }

const remove = (found: Readonly<MachineConfigNode>, because: string): Plan => ({
  type: 'remove',
  because,
  found,
})

function wantedFor({ metadata }: Readonly<Node>, pool: string | undefined): MachineConfigNode {
  const { name, uid, annotations = {} } = metadata
  const image = annotations[nodeAnnotations.desiredImage]
  return newMachineConfigNode({
    name,
    uid,
    pool,
    desired: annotations[nodeAnnotations.desiredConfig] || undefined,
    // Anything else the API server would refuse, and with it the rest.
    desiredImage: image !== undefined && byDigest.test(image) ? image : undefined,
  })
}

const byDigest = /^[^@\s]+@sha256:[0-9a-f]{64}$/

/** A new machine has taken the name: what its predecessor reported must not be taken for its own. */
export function isOfAnother(
  { metadata }: Readonly<MachineConfigNode>,
  node: Readonly<Node>,
): boolean {
  const owners = (metadata.ownerReferences ?? []).filter(isNode)
  return owners.length > 0 && owners.every(({ uid }) => uid !== node.metadata.uid)
}

function specChange(
  found: Readonly<MachineConfigNode>,
  { spec: wanted }: MachineConfigNode,
): object | undefined {
  if (sameJson(found.spec, wanted)) return undefined
  const goesAway = found.spec.configImage !== undefined && wanted.configImage === undefined
  return { ...wanted, ...(goesAway && { configImage: null }) }
}

/** Its Node owns it; other owners stay. */
function ownerChange(
  { metadata }: Readonly<MachineConfigNode>,
  wanted: MachineConfigNode,
): Change['metadata'] {
  const [owner] = wanted.metadata.ownerReferences ?? []
  const owners = metadata.ownerReferences ?? []
  if (!owner || owners.some((each) => isNode(each) && each.uid === owner.uid)) return undefined
  const { resourceVersion } = metadata
  return { ownerReferences: [...owners, owner], ...(resourceVersion && { resourceVersion }) }
}

const isNode = ({ apiVersion, kind }: OwnerReference): boolean =>
  apiVersion === 'v1' && kind === 'Node'
