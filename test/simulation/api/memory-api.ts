import { applyMergePatch } from '@machinist/core/objects/merge-patch'
import { isObject, sameJson } from '@machinist/core/encoding/json'
import type { KubeObject } from '@machinist/core/objects/resource'
import { parseLabelSelector } from '@machinist/core/objects/label-selector-text'
import { matchesLabels } from '@machinist/core/objects/selectors'
import type { QueryParameters, ApiRequest } from '@machinist/kube/transport/transport'
import type { Clock } from '@machinist/core/clock'
import { fieldSelector } from './selection.ts'
import type { Place } from './place.ts'
import { placeOf } from './place.ts'
import { conflict, expired, notFound, Refused } from './refused.ts'
import { evict } from './eviction.ts'
import { storedFrom } from './wire.ts'

export type Stored = Readonly<KubeObject> & {
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: Readonly<Record<string, unknown>>
}

/** One write, in the history and for checks. */
export interface Change {
  readonly version: number
  readonly resource: string
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly before?: Stored
  readonly object: Stored
  /** The writer. */
  readonly actor: string
}

/** A snapshot of all objects. */
export interface Backup {
  readonly version: number
  readonly kinds: ReadonlyMap<string, ReadonlyMap<string, Stored>>
}

/**
 * The effect of a restore on revisions: `back` to those of the backup, as a plain copy of the data does; or `ahead` of all that
 * were ever used, as `etcdutl snapshot restore --bump-revision --mark-compacted` does.
 */
export type Revisions = 'back' | 'ahead'

/**
 * The part of a Kubernetes API that our components use, without sockets, validation or RBAC: get, list, watch, create,
 * replace, merge patch, the status subresource, delete, eviction. contract.ts tests that it behaves like a real API server.
 */
export class MemoryApi {
  readonly #clock: Clock
  readonly #kinds = new Map<string, Map<string, Stored>>()
  readonly #history: Change[] = []
  readonly #followers = new Set<(change: Change) => void>()
  readonly #restoreFollowers = new Set<() => void>()
  #version = 1000
  #compacted = 1000
  #uids = 0
  #restores = 0
  /** API groups that are not served. */
  readonly absentGroups = new Set<string>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get version(): number {
    return this.#version
  }

  get clock(): Clock {
    return this.#clock
  }

  /** Calls the follower synchronously for every write. Returns a function that ends it. */
  follow(follower: (change: Change) => void): () => void {
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }

  /** Number of restores: requests sent before a restore never arrive. */
  get restores(): number {
    return this.#restores
  }

  /** Calls `follower` after every restore. Returns a function that ends it. */
  followRestores(follower: () => void): () => void {
    this.#restoreFollowers.add(follower)
    return () => this.#restoreFollowers.delete(follower)
  }

  backup(): Backup {
    const kinds = Array.from(this.#kinds, ([kind, objects]) => [kind, new Map(objects)] as const)
    return { version: this.#version, kinds: new Map(kinds) }
  }

  /** Restores the objects, cuts every connection and drops the history. */
  restore({ version, kinds }: Backup, revisions: Revisions): void {
    this.#kinds.clear()
    for (const [kind, objects] of kinds) this.#kinds.set(kind, new Map(objects))
    this.#version = revisions === 'back' ? version : this.#version + 1_000_000
    this.compact()
    this.#restores += 1
    for (const follower of this.#restoreFollowers) follower()
  }

  /** Called for every Event. Events are not stored, which would be expensive. */
  onEvent: (event: unknown) => void = () => {}

  /** Writes after `version`; rejected if that is compacted. */
  since(version: number): Change[] {
    if (version < this.#compacted || version > this.#version) throw expired()
    let first = this.#history.length
    while (first > 0 && this.#history[first - 1]!.version > version) first -= 1
    return this.#history.slice(first)
  }

  /** Compacts the history: watchers that are behind must list again. */
  compact(): void {
    this.#compacted = this.#version
    this.#history.length = 0
  }

  objects(resource: string): Stored[] {
    return [...(this.#kinds.get(resource)?.values() ?? [])]
  }

  find(resource: string, name: string, namespace?: string): Stored | undefined {
    return this.#kinds.get(resource)?.get(keyFor(namespace, name))
  }

  /** Handles a request that is not a watch. */
  handle(request: ApiRequest, actor: string): object {
    const place = placeOf(request)
    if (!place || this.absentGroups.has(place.group)) throw notFound(request.path)
    switch (request.method) {
      case 'GET':
        return place.name === undefined ? this.#list(place, request) : this.#get(place)
      case 'POST':
        if (place.subresource === 'eviction') return evict(this, place, request.body, actor)
        return this.#create(place, request.body as Stored, actor)
      case 'PUT':
        return this.#replace(place, request.body as Stored, actor)
      case 'PATCH':
        return this.#patch(place, request, actor)
      case 'DELETE':
        return this.remove(place, request.body as Deletion, actor)
    }
  }

  remove(place: Place, deletion: Deletion, actor: string): object {
    const found = this.#get(place)
    const { uid, resourceVersion } = deletion.preconditions ?? {}
    if (uid !== undefined && uid !== found.metadata.uid) throw conflict(nameOf(place))
    if (resourceVersion !== undefined && resourceVersion !== found.metadata.resourceVersion) {
      throw conflict(nameOf(place))
    }
    const grace = deletion.gracePeriodSeconds ?? graceOf(found)
    if (place.resource === '/pods' && grace > 0 && found.spec?.['nodeName'] !== undefined) {
      if (found.metadata.deletionTimestamp !== undefined) return found
      const deletionTimestamp = timeText(this.#clock.now() + grace * 1000)
      const metadata = { ...found.metadata, deletionTimestamp, deletionGracePeriodSeconds: grace }
      return this.#put(place, { ...found, metadata }, found, actor)
    }
    if (isHeld(found)) {
      if (found.metadata.deletionTimestamp !== undefined) return found
      const metadata = { ...found.metadata, deletionTimestamp: timeText(this.#clock.now()) }
      return this.#put(place, { ...found, metadata }, found, actor)
    }
    this.#drop(place, found, actor)
    return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' }
  }

  #drop(place: Place, found: Stored, actor: string): void {
    this.#kinds.get(place.resource)?.delete(keyFor(place.namespace, place.name!))
    this.#record('DELETED', place, found, found, actor)
  }

  #get(place: Place): Stored {
    const found = this.find(place.resource, place.name!, place.namespace)
    if (!found) throw notFound(nameOf(place))
    return found
  }

  #list(place: Place, { query }: ApiRequest): object {
    const isMeant = selection(place, query)
    const items = this.objects(place.resource).filter(isMeant)
    return { kind: 'List', metadata: { resourceVersion: String(this.#version) }, items }
  }

  #create(place: Place, sent: Stored, actor: string): Stored {
    const { name } = sent.metadata
    const target = { ...place, name }
    if (this.find(place.resource, name, place.namespace)) {
      throw new Refused(409, 'AlreadyExists', `${nameOf(target)} already exists`)
    }
    const { status, ...rest } = sent
    const metadata = {
      ...sent.metadata,
      ...(place.namespace !== undefined && { namespace: place.namespace }),
      uid: `uid-${++this.#uids}`,
      creationTimestamp: timeText(this.#clock.now()),
      ...(hasGeneration(place) && { generation: 1 }),
    }
    const kept = keepsStatusOnCreate(place) && status !== undefined ? { status } : {}
    return this.#put(target, { ...rest, metadata, ...kept }, undefined, actor)
  }

  #replace(place: Place, sent: Stored, actor: string): Stored {
    const before = this.#get(place)
    const { resourceVersion } = sent.metadata
    if (resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion) {
      throw conflict(nameOf(place))
    }
    return this.#changed(place, before, sent, actor)
  }

  #patch(place: Place, { body, contentType }: ApiRequest, actor: string): Stored {
    if (contentType !== 'application/merge-patch+json') {
      throw new Refused(415, 'UnsupportedMediaType', `${contentType} is not simulated`)
    }
    const before = this.#get(place)
    const asked = isObject(body) && isObject(body['metadata']) ? body['metadata'] : {}
    const { resourceVersion, uid } = asked
    if (resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion) {
      throw conflict(nameOf(place))
    }
    if (uid !== undefined && uid !== before.metadata.uid) {
      throw new Refused(422, 'Invalid', `${nameOf(place)} is invalid: metadata.uid is immutable`)
    }
    return this.#changed(place, before, applyMergePatch(before, body) as Stored, actor)
  }

  /** The part of `wanted` that may be written at this place. */
  #changed(place: Place, before: Stored, wanted: Stored, actor: string): Stored {
    const { status, metadata, ...rest } = wanted
    const isStatus = place.subresource === 'status'
    const statusAfter = isStatus ? status : before.status
    const after = {
      ...(isStatus ? before : rest),
      metadata: isStatus ? before.metadata : { ...metadata, ...fixedIn(before) },
      ...(statusAfter !== undefined && { status: statusAfter }),
    } as Stored
    if (sameJson(after, before)) return before
    // The last finalizer was removed.
    if (isHeld(before) && !isHeld(after) && before.metadata.deletionTimestamp !== undefined) {
      this.#drop(place, after, actor)
      return after
    }
    const isNew = hasGeneration(place) && !isStatus && !sameJson(specOf(after), specOf(before))
    if (!isNew) return this.#put(place, after, before, actor)
    const generation = (before.metadata.generation ?? 0) + 1
    const raised = { ...after, metadata: { ...after.metadata, generation } }
    return this.#put(place, raised, before, actor)
  }

  #put(place: Place, object: Stored, before: Stored | undefined, actor: string): Stored {
    const stored = this.#record(before ? 'MODIFIED' : 'ADDED', place, object, before, actor)
    const kind = this.#kinds.get(place.resource) ?? new Map<string, Stored>()
    this.#kinds.set(place.resource, kind)
    kind.set(keyFor(place.namespace, place.name!), stored)
    this.#tell(stored, before ? 'MODIFIED' : 'ADDED', place, before, actor)
    return stored
  }

  #record(
    type: Change['type'],
    place: Place,
    object: Stored,
    before: Stored | undefined,
    actor: string,
  ): Stored {
    this.#version += 1
    // A JSON round trip, as on the wire: no shared references, no undefined values.
    const metadata = { ...object.metadata, resourceVersion: String(this.#version) }
    const stored = storedFrom({ ...object, metadata })
    if (type === 'DELETED') this.#tell(stored, type, place, before, actor)
    return stored
  }

  #tell(
    object: Stored,
    type: Change['type'],
    { resource }: Place,
    before: Stored | undefined,
    actor: string,
  ): void {
    const change: Change = {
      version: this.#version,
      resource,
      type,
      object,
      actor,
      ...(before && { before }),
    }
    this.#history.push(change)
    for (const follower of this.#followers) follower(change)
  }
}

export interface Deletion {
  readonly gracePeriodSeconds?: number
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
}

/** Whether an object is in a list or watch. */
export function selection(
  { namespace }: Place,
  query: QueryParameters = {},
): (object: Stored) => boolean {
  const { labelSelector, fieldSelector: fields } = query
  const labels = labelSelector === undefined ? [] : parseLabelSelector(String(labelSelector))
  const hasFields = fieldSelector(fields === undefined ? '' : String(fields))
  return (object) =>
    (namespace === undefined || object.metadata.namespace === namespace) &&
    (labels.length === 0 || matchesLabels(labels, object.metadata.labels)) &&
    hasFields(object)
}

const keyFor = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`

const nameOf = ({ plural, group, name }: Place): string =>
  `${plural}${group && `.${group}`} "${name}"`

export const timeText = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')

const isHeld = ({ metadata }: Stored): boolean => (metadata.finalizers ?? []).length > 0

/** Metadata that a writer cannot change. */
function fixedIn({ metadata }: Stored): object {
  const { uid, creationTimestamp, generation, deletionTimestamp, resourceVersion } = metadata
  return { uid, creationTimestamp, generation, deletionTimestamp, resourceVersion }
}

function specOf(object: Stored): object {
  const { metadata: _, status: __, ...rest } = object
  return rest
}

/** Not all releases count generations of nodes, pods, leases and events, and no component reads them. */
const hasGeneration = ({ group }: Place): boolean => group !== '' && group !== 'coordination.k8s.io'

const keepsStatusOnCreate = ({ resource }: Place): boolean => resource === '/nodes'

function graceOf({ spec }: Stored): number {
  const grace = spec?.['terminationGracePeriodSeconds']
  return typeof grace === 'number' ? grace : 30
}
