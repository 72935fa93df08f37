import { sameJson } from '@machinist/core/encoding/json'
import type { ObjectMeta } from '@machinist/core/objects/resource'
import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import type { Stored } from '../store/store.ts'
import { asDefined, asStored } from './defined-shape.ts'

/** Kubernetes' order of metadata fields; others are dropped. */
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

/** The `apiVersion` of a kind. */
export const apiVersionOf = ({ group, version }: Pick<ServedKind, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`

/** A stored object, converted to this version of its kind. */
export function toServedObject(kind: ServedKind, stored: Stored): ApiObject {
  return toServedVersion(kind, JSON.parse(stored.value) as ApiObject, stored.revision)
}

/** An object converted to the version of its kind, with its revision (none before the write). */
export function toServedVersion(kind: ServedKind, object: ApiObject, revision?: number): ApiObject {
  return inVersion(kind, asDefined(kind, object), revision)
}

/** Whether the text equals the stored object, ignoring empty metadata. */
export function equalsStored({ value }: Stored, text: string): boolean {
  const { metadata, ...rest } = JSON.parse(value) as ApiObject
  return sameJson(JSON.parse(text), { ...rest, metadata: orderedMetadata(metadata) })
}

function inVersion(kind: ServedKind, object: ApiObject, revision?: number): ApiObject {
  const seen = kind.rules?.view?.toView(object) ?? object
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = seen
  const resourceVersion = revision === undefined ? undefined : String(revision)
  return {
    kind: kind.kind,
    apiVersion: apiVersionOf(kind),
    metadata: orderedMetadata({ ...metadata, resourceVersion }),
    ...rest,
  }
}

/** The text to store: everything except resourceVersion, which is the store's revision. */
export function encodeStored(kind: ServedKind, object: ApiObject): string {
  const raw = kind.rules?.view?.fromView(object) ?? asStored(kind, object)
  const { resourceVersion: _, ...metadata } = raw.metadata
  return JSON.stringify({ ...raw, metadata })
}

export function orderedMetadata(metadata: ObjectMeta): ObjectMeta {
  const entries = metadataOrder.flatMap((field) => {
    const value = metadata[field]
    return isOmitted(value) ? [] : [[field, value] as const]
  })
  return Object.fromEntries(entries) as unknown as ObjectMeta
}

/** Go's `omitempty`. */
const isOmitted = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)
