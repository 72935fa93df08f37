import type { Logger } from '../../base/log.ts'
import type { OwnerReference } from '../../base/resource.ts'
import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import { remove } from '../verbs/delete.ts'
import { placeOfKey } from '../verbs/object-key.ts'
import { shownObject } from '../verbs/stored-object.ts'
import type { NamedTarget } from '../verbs/update.ts'
import { update } from '../verbs/update.ts'
import type { VerbContext } from '../verbs/verb-context.ts'
import { ownWrite } from '../verbs/verb-context.ts'
import { ifThere } from './if-there.ts'
import { KeyedWork } from './keyed-work.ts'
import { OwnerIndex } from './owner-index.ts'

/** Deletes what belongs to objects that are gone, in the way their deletion asked for. */
export class GarbageWorker {
  readonly #context: VerbContext
  readonly #index = new OwnerIndex()
  readonly #work: KeyedWork
  readonly #stop: () => void

  constructor(context: VerbContext, log: Logger) {
    this.#context = context
    this.#work = new KeyedWork((uid) => this.#settle(uid), context.clock, log)
    for (const { key, value } of context.store.range({ prefix: '/registry/' })) {
      this.#index.set(key, metadataOf(value))
    }
    for (const uid of this.#index.missingOwners()) this.#work.add(uid)
    this.#stop = context.store.subscribe(({ key, value, before }) => {
      if (value === undefined) this.#removed(key, before?.value)
      else this.#written(key, metadataOf(value))
    })
  }

  async stop(): Promise<void> {
    this.#stop()
    await this.#work.stop()
  }

  #written(key: string, metadata: ApiObject['metadata']): void {
    this.#index.set(key, metadata)
    if (metadata.deletionTimestamp !== undefined && metadata.uid) this.#work.add(metadata.uid)
    for (const owner of metadata.ownerReferences ?? []) {
      if (!this.#index.has(owner.uid)) this.#work.add(owner.uid)
    }
  }

  #removed(key: string, before: string | undefined): void {
    this.#index.delete(key)
    const { uid, ownerReferences = [] } = before === undefined ? {} : metadataOf(before)
    if (uid) this.#work.add(uid)
    // A foreground deletion waits for its dependents.
    for (const owner of ownerReferences) this.#work.add(owner.uid)
  }

  async #settle(uid: string): Promise<void> {
    const ownerKey = this.#index.keyOf(uid)
    if (ownerKey === undefined) return this.#collect(uid)
    const owner = this.#read(ownerKey)
    if (!owner || owner.object.metadata.deletionTimestamp === undefined) return
    const { finalizers = [] } = owner.object.metadata
    if (finalizers.includes('orphan')) {
      for (const key of this.#index.dependentsOf(uid)) await this.#disown(key, uid)
      await this.#release(owner.target, 'orphan')
    } else if (finalizers.includes('foregroundDeletion')) {
      await this.#deleteForeground(uid, owner.target)
    }
  }

  async #collect(uid: string): Promise<void> {
    for (const key of this.#index.dependentsOf(uid)) {
      const dependent = this.#read(key)
      if (!dependent) continue
      const owners = dependent.object.metadata.ownerReferences ?? []
      const others = owners.filter((owner) => owner.uid !== uid && this.#index.has(owner.uid))
      if (others.length > 0) await this.#disown(key, uid)
      else await this.#delete(dependent)
    }
  }

  async #deleteForeground(uid: string, target: NamedTarget): Promise<void> {
    let blocked = false
    for (const key of this.#index.dependentsOf(uid)) {
      const dependent = this.#read(key)
      if (!dependent) continue
      await this.#delete(dependent)
      const references = dependent.object.metadata.ownerReferences ?? []
      const blocks = references.some((owner) => owner.uid === uid && owner.blockOwnerDeletion)
      blocked ||= blocks && this.#context.store.get(key) !== undefined
    }
    if (!blocked) await this.#release(target, 'foregroundDeletion')
  }

  async #delete({ target, object }: Found): Promise<void> {
    const { uid } = object.metadata
    await ifThere(remove(this.#context, target, { dryRun: false, uid, propagation: 'Background' }))
  }

  async #disown(key: string, uid: string): Promise<void> {
    const dependent = this.#read(key)
    if (!dependent) return
    await ifThere(
      update(
        this.#context,
        dependent.target,
        (object) => {
          const { metadata } = object
          const isOther = (owner: OwnerReference): boolean => owner.uid !== uid
          metadata.ownerReferences = metadata.ownerReferences?.filter(isOther)
          return object
        },
        ownWrite,
      ),
    )
  }

  async #release(target: NamedTarget, finalizer: string): Promise<void> {
    await ifThere(
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
    return { target: { kind, namespace, name }, object: shownObject(kind, stored) }
  }
}

interface Found {
  readonly target: NamedTarget
  readonly object: ApiObject
}

const metadataOf = (value: string): ApiObject['metadata'] =>
  (JSON.parse(value) as ApiObject).metadata
