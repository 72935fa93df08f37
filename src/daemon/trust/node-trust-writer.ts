import type { NodeTrustStatus } from '../../api/kinds/node-trust.ts'
import type { NodeTrust } from '../../api/resources.ts'
import { nodeTrusts } from '../../api/resources.ts'
import { sameJson } from '@machinist/core/json'
import type { Logger } from '@machinist/core/log'
import { mergePatchBetween } from '@machinist/core/merge-patch'
import type { OwnerReference } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import { ifThere, isAlreadyExists, isNotFound } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import { tells } from './node-trust.ts'

/** The Node that the ledger belongs to. */
export interface Owner {
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
 * Writes the node's NodeTrust: one request for each change of the report, one more to take over the object of a former Node. No
 * other component writes the status.
 */
export class NodeTrustWriter {
  readonly #client: KubeClient
  readonly #log: Logger
  /** What is written there; undefined until somebody has looked. */
  #known: Known | undefined

  constructor(client: KubeClient, log: Logger) {
    this.#client = client
    this.#log = log
  }

  /** So that the next time somebody looks whether it is still there. */
  forget(): void {
    this.#known = undefined
  }

  async write(
    owner: Owner,
    statusAfter: (before: NodeTrustStatus | undefined) => NodeTrustStatus,
    signal: AbortSignal,
  ): Promise<void> {
    if (this.#known?.uid !== owner.uid) this.#known = await this.#find(owner, signal)
    if (!this.#known) return this.#log.debug('this cluster has no NodeTrusts')
    const { status: before, isOfFormer = false } = this.#known
    const status = statusAfter(before)
    const isNews = !sameJson(tells(before), tells(status))
    if (!isNews && !isOfFormer) return
    // What is there now is known again when this has worked.
    this.#known = undefined
    if (isNews) await this.#report(owner, mergePatchBetween(before, status), signal)
    // The status first: with the new owner, the signer takes the whole status for a report of this Node.
    if (isOfFormer) await this.#takeOver(owner, signal)
    this.#known = { uid: owner.uid, status: isNews ? status : before }
  }

  async #report({ name }: Owner, status: unknown, signal: AbortSignal): Promise<void> {
    const call = { signal, timeoutMs: requestMs, subresource: 'status' as const }
    await this.#client.patch(nodeTrusts, { name }, mergePatch({ status }), call)
  }

  /** The garbage collector deletes the object while its owner is a Node that is gone. */
  async #takeOver(owner: Owner, signal: AbortSignal): Promise<void> {
    const patch = mergePatch({ metadata: { ownerReferences: [ownerReference(owner)] } })
    const call = { signal, timeoutMs: requestMs }
    await this.#client.patch(nodeTrusts, { name: owner.name }, patch, call)
  }

  async #find(owner: Owner, signal: AbortSignal): Promise<Known | undefined> {
    const { name, uid } = owner
    const found = await this.#get(name, signal)
    if (!found) return (await this.#make(owner, signal)) ? { uid, status: {} } : undefined
    const { metadata, status = {} } = found
    return { uid, status, isOfFormer: metadata.ownerReferences?.[0]?.uid !== uid }
  }

  #get(name: string, signal: AbortSignal): Promise<NodeTrust | undefined> {
    return ifThere(this.#client.get(nodeTrusts, { name }, { signal, timeoutMs: requestMs }))
  }

  /** Whether it is there now: where the kind is not installed, it never is. */
  async #make(owner: Owner, signal: AbortSignal): Promise<boolean> {
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

const ownerReference = ({ name, uid }: Owner): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'Node',
  name,
  uid,
})
