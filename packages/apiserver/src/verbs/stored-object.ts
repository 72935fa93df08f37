import { sameJson } from '@machinist/core/json'
import type { ObjectMeta } from '@machinist/core/resource'
import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import type { Stored } from '../store/store.ts'
import { asDefined, asStored } from './defined-shape.ts'

/** The order in which Kubernetes writes metadata; anything else is none of it and goes. */
const metadataOrder: readonly (keyof ObjectMeta)[] = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
]

export const metadataFields: ReadonlySet<string> = new Set(metadataOrder)

/** `apiVersion` as the objects of a kind carry it. */
export const apiVersionOf = ({ group, version }: Pick<ServedKind, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`

/** A stored object as this version of its kind shows it. */
export function shownObject(kind: ServedKind, stored: Stored): ApiObject {
  return shownAs(kind, JSON.parse(stored.value) as ApiObject, stored.revision)
}

/** An object in the shape of its kind's version, with the revision it has (none before it is written). */
export function shownAs(kind: ServedKind, object: ApiObject, revision?: number): ApiObject {
  return inVersion(kind, asDefined(kind, object), revision)
}

/** Is this text what is stored already, but for empty metadata? */
export function isStored({ value }: Stored, text: string): boolean {
  const { metadata, ...rest } = JSON.parse(value) as ApiObject
  return sameJson(JSON.parse(text), { ...rest, metadata: orderedMetadata(metadata) })
}

function inVersion(kind: ServedKind, object: ApiObject, revision?: number): ApiObject {
  const seen = kind.rules?.view?.shown(object) ?? object
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = seen
  const resourceVersion = revision === undefined ? undefined : String(revision)
  return {
    kind: kind.kind,
    apiVersion: apiVersionOf(kind),
    metadata: orderedMetadata({ ...metadata, resourceVersion }),
    ...rest,
  }
}

/** The text that is stored: everything but the version, which is the store's revision. */
export function storedText(kind: ServedKind, object: ApiObject): string {
  const raw = kind.rules?.view?.stored(object) ?? asStored(kind, object)
  const { resourceVersion: _, ...metadata } = raw.metadata
  return JSON.stringify({ ...raw, metadata })
}

export function orderedMetadata(metadata: ObjectMeta): ObjectMeta {
  const entries = metadataOrder.flatMap((field) => {
    const value = metadata[field]
    return isNothing(value) ? [] : [[field, value] as const]
  })
  return Object.fromEntries(entries) as unknown as ObjectMeta
}

/** Go's `omitempty`: such a field is not written at all. */
const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)
