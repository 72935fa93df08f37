import { isObject, sameJson } from '@machinist/core/encoding/json'
import { timestamp } from '@machinist/core/timestamp'
import type { PatchedKind } from '../shapes/shape-of-kind.ts'
import { shapeOfKind } from '../shapes/shape-of-kind.ts'
import type { Shape } from '../shapes/shape.ts'
import { zeroObject } from '../shapes/zero-objects.ts'
import { compare, ignoring } from './comparison.ts'
import type { Owner, Owners } from './managed-fields.ts'
import { ownerKey, readOwners, writeOwners } from './managed-fields.ts'
import { afterWrite, cappedUpdaters } from './ownership.ts'
import { resetFields, serverFields } from './unowned-fields.ts'
import { withoutEmpties } from './without-empties.ts'

export type KubeJson = Readonly<Record<string, unknown>>

export interface TrackedWrite {
  readonly kind: PatchedKind
  readonly manager: string
  /** Milliseconds since the epoch. */
  readonly now: number
  /** `status`, or absent for the object itself. */
  readonly subresource?: string
}

/**
 * Updates `metadata.managedFields` for a write that is not an apply. `before` is absent for a create. Call it with
 * the object as the client sent it, defaulted, before fields that the client cannot change are reset. Returns
 * `before` itself if nothing changes.
 */
export function trackFields(
  before: KubeJson | undefined,
  after: KubeJson,
  writing: TrackedWrite,
): KubeJson {
  const { kind } = writing
  const shape = shapeOfKind(kind)
  const object = (
    kind.builtIn ? withoutEmpties(withoutManagedFields(after), shape) : withoutManagedFields(after)
  ) as KubeJson
  const owners = ownersOf(before, after, writing)
  // After managedFields were cleared, tracking resumes with the next apply.
  if (owners.size === 0 && hasUid(before)) return keepIfUnchanged(before, object)
  const written = afterUpdate(before ?? emptyObject(kind), object, owners, shape, writing)
  return keepIfUnchanged(before, withOwners(object, written, kind))
}

/** The manager of a write without fieldManager: the first part of the user agent. */
export function managerOf(fieldManager: string | undefined, userAgent: string | undefined): string {
  if (fieldManager !== undefined && fieldManager !== '') return fieldManager
  const [name = ''] = (userAgent ?? '').split('/')
  const printable = name.replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '')
  return Array.from(printable).slice(0, 128).join('')
}

/** The owners after an update, including the updater. */
export function afterUpdate(
  before: KubeJson,
  after: KubeJson,
  owners: Owners,
  shape: Shape,
  { kind, manager, now, subresource = '' }: TrackedWrite,
): Owners {
  const ignored = resetFields(kind, subresource)
  const comparison = ignoring(compare(withoutManagedFields(before), after, shape), ignored)
  const left = afterWrite(owners, '', comparison)
  const apiVersion = apiVersionOf(kind)
  const name = manager === '' ? 'unknown' : manager
  const self = { manager: name, operation: 'Update', apiVersion, subresource } as const
  const taken = comparison.modified.union(comparison.added).difference(serverFields)
  if (!taken.isEmpty) {
    const key = ownerKey(self)
    const fields = left.get(key)?.fields.union(taken) ?? taken
    left.set(key, { ...self, time: timestamp(now), fields })
  }
  return cappedUpdaters(left, ownerKey)
}

export function apiVersionOf({ group, version }: PatchedKind): string {
  return group === '' ? version : `${group}/${version}`
}

/** The object that a new object is compared with. */
export function emptyObject(kind: PatchedKind): KubeJson {
  const envelope = { apiVersion: apiVersionOf(kind), kind: kind.kind }
  return kind.builtIn ? { ...envelope, ...zeroObject(kind.group, kind.kind) } : envelope
}

export function withoutManagedFields(object: KubeJson): KubeJson {
  const { metadata } = object
  if (!isObject(metadata) || !Object.hasOwn(metadata, 'managedFields')) return object
  const { managedFields: _, ...rest } = metadata
  return { ...object, metadata: rest }
}

export function managedFieldsOf({ metadata }: KubeJson): unknown {
  return isObject(metadata) ? metadata['managedFields'] : undefined
}

export function withOwners(object: KubeJson, owners: Owners, kind: PatchedKind): KubeJson {
  const managedFields = writeOwners(owners, kind)
  if (!managedFields) return object
  const { metadata } = object
  return { ...object, metadata: { ...(isObject(metadata) ? metadata : {}), managedFields } }
}

/** A change of nothing but managedFields times is no change. */
export function keepIfUnchanged(before: KubeJson | undefined, after: KubeJson): KubeJson {
  return before && sameJson(timeless(before), timeless(after)) ? before : after
}

function ownersOf(
  before: KubeJson | undefined,
  after: KubeJson,
  { subresource }: TrackedWrite,
): Owners {
  const present = readOwners(before && managedFieldsOf(before)) ?? new Map<string, Owner>()
  if (subresource) return present
  const sent = managedFieldsOf(after)
  if (isReset(sent)) return new Map()
  const read = readOwners(sent)
  return read && read.size > 0 ? read : present
}

/** Clients clear managedFields with an empty list, or with one empty entry. */
function isReset(managedFields: unknown): boolean {
  if (!Array.isArray(managedFields) || managedFields.length > 1) return false
  const [only] = managedFields as unknown[]
  return only === undefined || sameJson(only, {})
}

function hasUid(object: KubeJson | undefined): boolean {
  const metadata = object?.['metadata']
  return isObject(metadata) && metadata['uid'] !== undefined
}

function timeless(object: KubeJson): unknown {
  const managedFields = managedFieldsOf(object)
  if (!Array.isArray(managedFields)) return object
  const untimed = managedFields.map((entry: unknown) =>
    isObject(entry) ? Object.assign({}, entry, { time: undefined }) : entry,
  )
  return { ...object, metadata: { ...(object['metadata'] as object), managedFields: untimed } }
}
