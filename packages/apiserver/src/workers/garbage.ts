import type { Logger } from '@machinist/core/log'
import type { OwnerReference } from '@machinist/core/objects/resource'
import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import { remove } from '../verbs/delete.ts'
import { placeOfKey } from '../objects/object-key.ts'
import { toServedObject } from '../objects/stored-object.ts'
import type { NamedTarget } from '../verbs/update.ts'
import { update } from '../verbs/update.ts'
import type { VerbContext } from '../verbs/verb-context.ts'
import { ownWrite } from '../verbs/verb-context.ts'
import { ignoreMissing } from './ignore-missing.ts'
import type { OwnerState } from './garbage-decision.ts'
import { decideGarbage } from './garbage-decision.ts'
import { KeyedWork } from './keyed-work.ts'
import { OwnerIndex } from './owner-index.ts'

/** Garbage collection: deletes dependents of deleted owners with the requested propagation. */
export class GarbageWorker {
  readonly #context: VerbContext
  readonly #index = new OwnerIndex()
  /** Uids of owners that are deleted and wait for their dependents. */
  readonly #waiting = new Set<string>()
  readonly #work: KeyedWork
  readonly #stop: () => void

  constructor(context: VerbContext, log: Logger) {
    this.#context = context
    this.#work = new KeyedWork((uid) => this.#reconcile(uid), context.clock, log)
    const leaving: [string, ApiObject['metadata']][] = []
    for (const { key, value } of context.store.range({ prefix: '/registry/' })) {
      const metadata = metadataOf(value)
      this.#index.set(key, metadata)
      if (metadata.deletionTimestamp !== undefined) leaving.push([key, metadata])
    }
    for (const [key, metadata] of leaving) this.#onWrite(key, metadata)
    for (const uid of this.#index.missingOwners()) this.#work.add(uid)
    this.#stop = context.store.subscribe(({ key, value }) => {
      if (value === undefined) this.#onRemoval(key)
      else this.#onWrite(key, metadataOf(value))
    })
  }

  async stop(): Promise<void> {
    this.#stop()
    await this.#work.stop()
  }

  #onWrite(key: string, metadata: ApiObject['metadata']): void {
    const before = this.#index.ownersOf(key)
    this.#index.set(key, metadata)
    const { uid, deletionTimestamp } = metadata
    if (uid && deletionTimestamp !== undefined) {
      if (isWaiting(metadata)) this.#waiting.add(uid)
      else this.#waiting.delete(uid)
      this.#work.add(uid)
    }
    for (const owner of [...before, ...this.#index.ownersOf(key)]) {
      if (!this.#index.has(owner) || this.#waiting.has(owner)) this.#work.add(owner)
      else if (this.#isForeign(owner, placeOfKey(key)?.namespace)) this.#work.add(key)
    }
  }

  #onRemoval(key: string): void {
    const uid = this.#index.uidOf(key)
    const owners = this.#index.ownersOf(key)
    this.#index.delete(key)
    if (uid) {
      this.#waiting.delete(uid)
      this.#work.add(uid)
    }
    for (const owner of owners) if (this.#waiting.has(owner)) this.#work.add(owner)
  }

  /** Handles the uid of a deleted owner, or the key of an object with invalid owners. */
  async #reconcile(uid: string): Promise<void> {
    if (uid.startsWith('/')) return this.#collect(uid)
    const ownerKey = this.#index.keyOf(uid)
    const owner = ownerKey === undefined ? undefined : this.#read(ownerKey)
    if (owner && owner.object.metadata.deletionTimestamp === undefined) return
    if (owner?.object.metadata.finalizers?.includes('orphan')) {
      for (const key of this.#index.dependentsOf(uid)) await this.#removeOwners(key, [uid])
      await this.#release(owner.target, 'orphan')
      return
    }
    if (owner && !isWaiting(owner.object.metadata)) return
    for (const key of this.#index.dependentsOf(uid)) await this.#collect(key)
    if (owner && !this.#isBlocked(uid)) await this.#release(owner.target, 'foregroundDeletion')
  }

  /** Handles an object with a deleted owner. */
  async #collect(key: string): Promise<void> {
    const found = this.#read(key)
    if (!found || found.object.metadata.deletionTimestamp !== undefined) return
    const { uid = '', finalizers = [], ownerReferences = [] } = found.object.metadata
    const dependents = this.#index.dependentsOf(uid)
    const decision = decideGarbage({
      owners: ownerReferences.map((owner) => ({
        uid: owner.uid,
        state: this.#stateOf(owner, found.target.namespace),
      })),
      finalizers,
      hasDependents: dependents.length > 0,
      inCycle: dependents.some((dependent) => this.#isWaitingAt(dependent)),
    })
    if (decision.action === 'disown') await this.#removeOwners(key, decision.owners)
    if (decision.action === 'delete') {
      const { propagation } = decision
      await ignoreMissing(remove(this.#context, found.target, { dryRun: false, uid, propagation }))
    }
  }

  #stateOf({ uid }: OwnerReference, namespace: string | undefined): OwnerState {
    if (!this.#index.has(uid) || this.#isForeign(uid, namespace)) return 'absent'
    return this.#waiting.has(uid) ? 'waiting' : 'solid'
  }

  /** An owner in another namespace is invalid, as in Kubernetes. */
  #isForeign(uid: string, namespace: string | undefined): boolean {
    const home = placeOfKey(this.#index.keyOf(uid) ?? '')?.namespace
    return namespace !== undefined && home !== undefined && home !== namespace
  }

  #isWaitingAt(key: string): boolean {
    return this.#waiting.has(this.#index.uidOf(key) ?? '')
  }

  #isBlocked(uid: string): boolean {
    return this.#index.dependentsOf(uid).some((key) => {
      const references = this.#read(key)?.object.metadata.ownerReferences ?? []
      return references.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true)
    })
  }

  async #removeOwners(key: string, uids: readonly string[]): Promise<void> {
    const dependent = this.#read(key)
    if (!dependent) return
    await ignoreMissing(
      update(
        this.#context,
        dependent.target,
        (object) => {
          const { metadata } = object
          const isOther = (owner: OwnerReference): boolean => !uids.includes(owner.uid)
          metadata.ownerReferences = metadata.ownerReferences?.filter(isOther)
          return object
        },
        ownWrite,
      ),
    )
  }

  async #release(target: NamedTarget, finalizer: string): Promise<void> {
    await ignoreMissing(
      update(
        this.#context,
        target,
        (object) => {
          const { metadata } = object
          metadata.finalizers = metadata.finalizers?.filter((name) => name !== finalizer)
          return object
        },
        ownWrite,
      ),
    )
  }

  #read(key: string): Found | undefined {
    const place = placeOfKey(key)
    const stored = this.#context.store.get(key)
    const kind: ServedKind | undefined =
      place && this.#context.kinds.findResource(place.group, place.plural)
    if (!place || !stored || !kind) return undefined
    const { namespace, name } = place
    return { target: { kind, namespace, name }, object: toServedObject(kind, stored) }
  }
}

interface Found {
  readonly target: NamedTarget
  readonly object: ApiObject
}

const isWaiting = ({ finalizers = [], deletionTimestamp }: ApiObject['metadata']): boolean =>
  deletionTimestamp !== undefined && finalizers.includes('foregroundDeletion')

const metadataOf = (value: string): ApiObject['metadata'] =>
  (JSON.parse(value) as ApiObject).metadata
