import { isObject } from '@machinist/core/encoding/json'
import type { FieldSet } from './field-set.ts'
import { readFields, writeFields } from './fields-v1.ts'

/** One entry of `metadata.managedFields`. */
export interface Owner {
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly subresource: string
  /** RFC 3339; absent for an apply without changes. */
  readonly time?: string
  readonly fields: FieldSet
}

/** By owner key. */
export type Owners = ReadonlyMap<string, Owner>

/** Appliers are the same in all versions, updaters are not. */
export function ownerKey(owner: Omit<Owner, 'fields' | 'time'>): string {
  const { manager, operation, apiVersion, subresource } = owner
  const version = operation === 'Apply' ? '' : apiVersion
  return JSON.stringify([manager, operation, version, subresource])
}

/** Parses managedFields; undefined if invalid. */
export function readOwners(managedFields: unknown): Owners | undefined {
  if (managedFields === undefined || managedFields === null) return new Map()
  if (!Array.isArray(managedFields)) return undefined
  const owners = new Map<string, Owner>()
  for (const entry of managedFields as unknown[]) {
    const owner = readOwner(entry)
    if (!owner) return undefined
    owners.set(ownerKey(owner), owner)
  }
  return owners
}

/** Undefined without owners. Entries of custom resources have sorted keys. */
export function writeOwners(
  owners: Owners,
  { builtIn }: { readonly builtIn: boolean },
): object[] | undefined {
  if (owners.size === 0) return undefined
  return [...owners.values()].sort(byAge).map((owner) => {
    const entry = writeOwner(owner)
    const sorted = (): object =>
      Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)))
    return builtIn ? entry : sorted()
  })
}

export function secondsOf({ time }: Owner): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000)
}

function readOwner(entry: unknown): Owner | undefined {
  if (!isObject(entry)) return undefined
  const { operation, apiVersion, fieldsType, time } = entry
  if (operation !== 'Apply' && operation !== 'Update') return undefined
  if (typeof apiVersion !== 'string' || apiVersion === '' || fieldsType !== 'FieldsV1') {
    return undefined
  }
  const fields = readFields(entry['fieldsV1'] ?? {})
  if (!fields) return undefined
  const known = typeof time === 'string' && !Number.isNaN(Date.parse(time)) ? { time } : {}
  const { manager, subresource } = entry
  return {
    manager: text(manager),
    operation,
    apiVersion,
    subresource: text(subresource),
    ...known,
    fields,
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

function writeOwner({ manager, operation, apiVersion, subresource, time, fields }: Owner): object {
  return {
    ...(manager === '' ? {} : { manager }),
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: writeFields(fields),
    ...(subresource === '' ? {} : { subresource }),
  }
}

function byAge(a: Owner, b: Owner): number {
  return (
    order(a.operation, b.operation) ||
    secondsOf(a) - secondsOf(b) ||
    order(a.manager, b.manager) ||
    order(a.apiVersion, b.apiVersion) ||
    order(a.subresource, b.subresource)
  )
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
