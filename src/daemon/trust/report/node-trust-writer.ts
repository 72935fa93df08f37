import { sameJson } from '@machinist/core/encoding/json'
import type { Logger } from '@machinist/core/log'
import { mergePatchBetween } from '@machinist/core/objects/merge-patch'
import type { OwnerReference } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound, isAlreadyExists, isNotFound } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import type { NodeTrustStatus } from '../../../api/kinds/node-trust.ts'
import type { NodeTrust } from '../../../api/kinds/resources.ts'
import { nodeTrusts } from '../../../api/kinds/resources.ts'
import { comparableStatus } from './node-trust.ts'

/** The Node that owns the NodeTrust. */
export interface OwnerNode {
  readonly name: string
  readonly uid: string
}

interface Known {
  readonly uid: string
  readonly status: NodeTrustStatus
  /** The object still names a former Node as its owner. */
  readonly isOfFormer?: boolean
}

const requestMs = 10_000

/**
 * Writes the NodeTrust: one request for each change of the report, and one more to take over the object of a former Node of the
 * same name. No other component writes the status.
 */
export class NodeTrustWriter {
  readonly #client: KubeClient
  readonly #log: Logger
  /** The object as last read or written; undefined: it must be read. */
  #known: Known | undefined

  constructor(client: KubeClient, log: Logger) {
    this.#client = client
    this.#log = log
  }

  /** Makes the next write read the object first. */
  forget(): void {
    this.#known = undefined
  }

  async write(
    owner: OwnerNode,
    statusAfter: (before: NodeTrustStatus | undefined) => NodeTrustStatus,
    signal: AbortSignal,
  ): Promise<void> {
    if (this.#known?.uid !== owner.uid) this.#known = await this.#find(owner, signal)
    if (!this.#known) return this.#log.debug('this cluster has no NodeTrusts')
    const { status: before, isOfFormer = false } = this.#known
    const status = statusAfter(before)
    const isChanged = !sameJson(comparableStatus(before), comparableStatus(status))
    if (!isChanged && !isOfFormer) return
    // Until the requests succeed, the state of the object is unknown.
    this.#known = undefined
    if (isChanged) await this.#report(owner, mergePatchBetween(before, status), signal)
    // The status first: with the new owner, the signer takes the whole status for a report of this Node.
    if (isOfFormer) await this.#takeOver(owner, signal)
    this.#known = { uid: owner.uid, status: isChanged ? status : before }
  }

  async #report({ name }: OwnerNode, status: unknown, signal: AbortSignal): Promise<void> {
    const call = { signal, timeoutMs: requestMs, subresource: 'status' as const }
    await this.#client.patch(nodeTrusts, { name }, mergePatch({ status }), call)
  }

  /** The garbage collector deletes the object while its owner is a Node that is gone. */
  async #takeOver(owner: OwnerNode, signal: AbortSignal): Promise<void> {
    const patch = mergePatch({ metadata: { ownerReferences: [ownerReference(owner)] } })
    const call = { signal, timeoutMs: requestMs }
    await this.#client.patch(nodeTrusts, { name: owner.name }, patch, call)
  }

  async #find(owner: OwnerNode, signal: AbortSignal): Promise<Known | undefined> {
    const { name, uid } = owner
    const found = await this.#get(name, signal)
    if (!found) return (await this.#create(owner, signal)) ? { uid, status: {} } : undefined
    const { metadata, status = {} } = found
    return { uid, status, isOfFormer: metadata.ownerReferences?.[0]?.uid !== uid }
  }

  #get(name: string, signal: AbortSignal): Promise<NodeTrust | undefined> {
    return ignoreNotFound(this.#client.get(nodeTrusts, { name }, { signal, timeoutMs: requestMs }))
  }

  /** Returns whether the object exists now; false if the kind is not installed. */
  async #create(owner: OwnerNode, signal: AbortSignal): Promise<boolean> {
    const metadata = { name: owner.name, ownerReferences: [ownerReference(owner)] }
    try {
      await this.#client.create(nodeTrusts, { metadata }, { signal, timeoutMs: requestMs })
      return true
    } catch (error) {
      if (isNotFound(error)) return false
      if (isAlreadyExists(error)) return true
      throw error
    }
  }
}

const ownerReference = ({ name, uid }: OwnerNode): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'Node',
  name,
  uid,
})
