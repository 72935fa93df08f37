import { sameJson } from '@machinist/core/encoding/json'
import type { OwnerReference } from '@machinist/core/objects/resource'
import type { Node } from '@machinist/kube/kinds/core'
import { nodeAnnotations } from '../../api/annotations.ts'
import { newMachineConfigNode } from '../../api/kinds/new-machine-config-node.ts'
import type { MachineConfigNode } from '../../api/kinds/resources.ts'
import type { MachineConfigNodeFacts } from './facts.ts'

/** The next action, with its reason for logs. */
export type MachineConfigNodePlan =
  | { readonly action: 'nothing' }
  | { readonly action: 'create'; readonly because: string; readonly object: MachineConfigNode }
  | { readonly action: 'remove'; readonly because: string; readonly found: MachineConfigNode }
  | {
      readonly action: 'change'
      readonly because: string
      readonly change: MachineConfigNodeChange
    }

/** A merge patch without status. */
export interface MachineConfigNodeChange {
  /** Guarded by the resourceVersion, because a merge patch replaces the list of owners. */
  readonly metadata?: {
    readonly ownerReferences: readonly OwnerReference[]
    readonly resourceVersion?: string
  }
  readonly spec?: object
}

/** Pure: one MachineConfigNode per Node, and none without a Node. */
export function decide({ node, pool, found }: MachineConfigNodeFacts): MachineConfigNodePlan {
  if (!node) return found ? remove(found, 'the node does not exist') : nothing
  const desired = desiredFor(node, pool)
  if (!found) return { action: 'create', because: 'it does not exist', object: desired }
  if (found.metadata.deletionTimestamp) return nothing
  if (isFromFormerNode(found, node))
    return remove(found, 'it belongs to a former node of this name')
  const spec = specChange(found, desired)
  const metadata = ownerChange(found, desired)
  if (!spec && !metadata) return nothing
  const because = metadata
    ? 'its node does not own it'
    : 'the pool or the desired config of its node changed'
  return {
    action: 'change',
    because,
    change: { ...(metadata && { metadata }), ...(spec && { spec }) },
  }
}

const nothing: MachineConfigNodePlan = { action: 'nothing' }

const remove = (found: Readonly<MachineConfigNode>, because: string): MachineConfigNodePlan => ({
  action: 'remove',
  because,
  found,
})

function desiredFor({ metadata }: Readonly<Node>, pool: string | undefined): MachineConfigNode {
  const { name, uid, annotations = {} } = metadata
  const image = annotations[nodeAnnotations.desiredImage]
  return newMachineConfigNode({
    name,
    uid,
    pool,
    desired: annotations[nodeAnnotations.desiredConfig] || undefined,
    // The API server would reject any other value, and with it the whole write.
    desiredImage: image !== undefined && byDigest.test(image) ? image : undefined,
  })
}

const byDigest = /^[^@\s]+@sha256:[0-9a-f]{64}$/

/** A new machine has the same name: the report of the former machine must not count for it. */
export function isFromFormerNode(
  { metadata }: Readonly<MachineConfigNode>,
  node: Readonly<Node>,
): boolean {
  const owners = (metadata.ownerReferences ?? []).filter(isNode)
  return owners.length > 0 && owners.every(({ uid }) => uid !== node.metadata.uid)
}

function specChange(
  found: Readonly<MachineConfigNode>,
  { spec: desired }: MachineConfigNode,
): object | undefined {
  if (sameJson(found.spec, desired)) return undefined
  const isRemoved = found.spec.configImage !== undefined && desired.configImage === undefined
  return { ...desired, ...(isRemoved && { configImage: null }) }
}

/** Adds the Node as owner; other owners stay. */
function ownerChange(
  { metadata }: Readonly<MachineConfigNode>,
  desired: MachineConfigNode,
): MachineConfigNodeChange['metadata'] {
  const [owner] = desired.metadata.ownerReferences ?? []
  const owners = metadata.ownerReferences ?? []
  if (!owner || owners.some((each) => isNode(each) && each.uid === owner.uid)) return undefined
  const { resourceVersion } = metadata
  return { ownerReferences: [...owners, owner], ...(resourceVersion && { resourceVersion }) }
}

const isNode = ({ apiVersion, kind }: OwnerReference): boolean =>
  apiVersion === 'v1' && kind === 'Node'
