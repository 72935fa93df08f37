import type { KubeObject, ObjectKey, Resource } from '@machinist/core/objects/resource'
import { keyText } from '@machinist/core/objects/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { Informer } from '@machinist/kube/informer/informer'
import type { ConfigMap, Secret } from '@machinist/kube/kinds/core'
import { configMaps, secrets } from '@machinist/kube/kinds/core'
import type { CacheContext } from '../nodes/node-cache.ts'
import type { Rotation } from '../../fleet/rotation/rotation-spec.ts'
import type { ObjectLister } from './facts/objects.ts'

interface Followed {
  readonly informer: Informer<KubeObject>
  readonly stop: AbortController
  /** The rotations that refer to the object. */
  readonly users: Set<string>
  /** When it was first followed, in elapsed time. */
  readonly sinceMs: number
}

/** The Secrets and ConfigMaps that rotations refer to, each with its own informer: the signer reads no other objects. */
export class FollowedObjects implements ObjectLister {
  /** Changes of the objects, for the rotations that refer to them. */
  readonly inputs: readonly Input[]
  readonly #context: CacheContext
  readonly #followed = new Map<string, Followed>()
  readonly #running = new Set<Promise<void>>()
  readonly #restoreHandlers = new Set<() => void>()
  #signal: AbortSignal | undefined
  #enqueue: ((key: string, priority: number) => void) | undefined

  constructor(context: CacheContext) {
    this.#context = context
    this.inputs = [secrets, configMaps].map(({ kind }) => ({
      resource: kind,
      // An object that cannot be read delays only the rotations that refer to it.
      synced: () => Promise.resolve(true),
      subscribe: (enqueue) => {
        this.#enqueue = enqueue
        return () => (this.#enqueue = undefined)
      },
    }))
  }

  /** Runs the informers until the signal aborts. */
  async start(signal: AbortSignal): Promise<void> {
    this.#signal = signal
    for (const followed of this.#followed.values()) this.#run(followed)
    await new Promise((resolve) => {
      if (signal.aborted) resolve(undefined)
      else signal.addEventListener('abort', resolve, { once: true })
    })
    for (const { stop } of this.#followed.values()) stop.abort()
    await Promise.all(this.#running)
  }

  /** Calls `handler` when an informer detects that etcd was restored to an older state. */
  onRestore(handler: () => void): () => void {
    this.#restoreHandlers.add(handler)
    return () => void this.#restoreHandlers.delete(handler)
  }

  /** Sets the objects of a rotation; undefined: it was deleted or is invalid. */
  follow(name: string, rotation: Rotation | undefined): void {
    const desired = new Map(rotation ? placesOf(rotation) : [])
    for (const [what, followed] of this.#followed) {
      if (desired.has(what) || !followed.users.delete(name) || followed.users.size > 0) continue
      this.#followed.delete(what)
      followed.stop.abort()
    }
    for (const [what, { resource, key }] of desired) {
      const followed = this.#followed.get(what) ?? this.#begin(what, resource, key)
      followed.users.add(name)
    }
  }

  /** An object of the rotation whose informer has not synced; the rotation is enqueued when it has. */
  unsynced(rotation: Rotation): { readonly what: string; readonly sinceMs: number } | undefined {
    for (const [what] of placesOf(rotation)) {
      const { informer, sinceMs } = this.#followed.get(what)!
      if (!informer.hasSynced) return { what, sinceMs }
    }
    return undefined
  }

  secret(key: ObjectKey): Readonly<Secret> | undefined {
    return this.#get(secrets, key)
  }

  configMap(key: ObjectKey): Readonly<ConfigMap> | undefined {
    return this.#get(configMaps, key)
  }

  #get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): Readonly<T> | undefined {
    const followed = this.#followed.get(placeText(resource, key))
    return followed?.informer.get(keyText(placeOf(key))) as Readonly<T> | undefined
  }

  #begin(what: string, resource: Resource, { namespace, name }: ObjectKey): Followed {
    const scope = { namespace: namespace!, fields: `metadata.name=${name}` }
    const source = this.#context.client.listWatch(resource, scope)
    const informer = new Informer({ ...this.#context, resource: what, source })
    const sinceMs = this.#context.clock.elapsed()
    const stop = new AbortController()
    const followed = { informer, stop, users: new Set<string>(), sinceMs }
    this.#followed.set(what, followed)
    const enqueueUsers = (): void => {
      for (const user of followed.users) this.#enqueue?.(user, 0)
    }
    informer.subscribe(enqueueUsers)
    informer.onRestore(() => {
      for (const handler of this.#restoreHandlers) handler()
    })
    // An informer without objects emits no change, but its sync shows that the object does not exist.
    void informer.synced().then((isSynced) => isSynced && enqueueUsers())
    if (this.#signal) this.#run(followed)
    return followed
  }

  #run({ informer, stop }: Followed): void {
    if (this.#signal?.aborted) stop.abort()
    const running = informer.start(stop.signal).finally(() => this.#running.delete(running))
    this.#running.add(running)
  }
}

interface Place {
  readonly resource: Resource
  readonly key: ObjectKey
}

function placesOf(rotation: Rotation): [what: string, place: Place][] {
  const { signer, bundle, publishedIn, targets, userData } = rotation
  const inputs = publishedIn.flatMap((each) => each.with)
  const maps = [bundle, ...publishedIn, ...inputs, ...(userData ? [userData] : [])]
  const place = (resource: Resource, key: ObjectKey): [string, Place] => [
    placeText(resource, key),
    { resource, key },
  ]
  return [
    ...[signer, ...targets].map((key) => place(secrets, key)),
    ...maps.map((key) => place(configMaps, key)),
  ]
}

const placeText = (resource: Resource, key: ObjectKey): string =>
  `${resource.kind} ${keyText(placeOf(key))}`

const placeOf = ({ namespace, name }: ObjectKey): ObjectKey => ({ namespace: namespace!, name })
