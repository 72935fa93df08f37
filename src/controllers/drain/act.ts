import { nodeAnnotations, ownNodeAnnotations } from '../../api/annotations.ts'
import type { CallOptions, KubeClient } from '@machinist/kube/client/client'
import { isConflict, isNotFound } from '@machinist/kube/failure'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import type { DrainRecord } from './record.ts'
import { recordText } from './record.ts'

/**
 * Writes to a node. Each is guarded by the resourceVersion of the decision: if the node has changed since, nothing is written
 * and the result is false.
 */
export function cordon(
  client: KubeClient,
  node: Node,
  record: DrainRecord,
  call: CallOptions,
): Promise<boolean> {
  const annotations = { [ownNodeAnnotations.drain]: recordText(record) }
  return patchNode(client, node, { annotations, spec: { unschedulable: true } }, call)
}

export function uncordon(client: KubeClient, node: Node, call: CallOptions): Promise<boolean> {
  return patchNode(client, node, { spec: { unschedulable: false } }, call)
}

export function acknowledgeDrain(
  client: KubeClient,
  node: Node,
  value: string,
  call: CallOptions,
): Promise<boolean> {
  return patchNode(
    client,
    node,
    { annotations: { [nodeAnnotations.lastAppliedDrain]: value } },
    call,
  )
}

/** Ends the drain and removes its record. */
export function acknowledgeUncordon(
  client: KubeClient,
  node: Node,
  value: string,
  call: CallOptions,
): Promise<boolean> {
  const annotations = {
    [nodeAnnotations.lastAppliedDrain]: value,
    [ownNodeAnnotations.drain]: null,
  }
  return patchNode(client, node, { annotations }, call)
}

interface NodeChange {
  readonly annotations?: Readonly<Record<string, string | null>>
  readonly spec?: { readonly unschedulable: boolean }
}

async function patchNode(
  client: KubeClient,
  { metadata: { name, resourceVersion, uid } }: Node,
  { annotations, spec }: NodeChange,
  call: CallOptions,
): Promise<boolean> {
  const metadata = { resourceVersion, uid, ...(annotations && { annotations }) }
  try {
    await client.patch(nodes, { name }, mergePatch({ metadata, ...(spec && { spec }) }), call)
    return true
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return false
    throw error
  }
}
