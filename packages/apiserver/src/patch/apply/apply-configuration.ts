import { isObject, sameJson } from '@machinist/core/encoding/json'
import { timestamp } from '@machinist/core/timestamp'
import { StatusError, badRequest, invalid } from '../../status/status-error.ts'
import { goJsonType } from '../../go/value-text.ts'
import type { PatchedKind } from '../shapes/shape-of-kind.ts'
import { shapeOfKind } from '../shapes/shape-of-kind.ts'
import type { Shape } from '../shapes/shape.ts'
import { compare, ignoring } from './comparison.ts'
import { conflictError } from './conflict-error.ts'
import { FieldSet } from './field-set.ts'
import { fieldsOf } from './fields-of.ts'
import { lastAppliedFields, lastAppliedManager, withLastApplied } from './last-applied.ts'
import type { Owner, Owners } from './managed-fields.ts'
import { ownerKey, readOwners } from './managed-fields.ts'
import { mergeApplied } from './merge-applied.ts'
import { afterWrite, conflicts } from './ownership.ts'
import { pruneUnapplied } from './prune-unapplied.ts'
import type { KubeJson, TrackedWrite } from './track-fields.ts'
import {
  afterUpdate,
  apiVersionOf,
  withoutManagedFields,
  emptyObject,
  managedFieldsOf,
  keepIfUnchanged,
  withOwners,
} from './track-fields.ts'
import { typedErrorText, typedErrors } from './typed-errors.ts'
import { resetFields, serverFields } from './unowned-fields.ts'
import { withoutEmpties } from './without-empties.ts'

export interface ApplyRequest extends TrackedWrite {
  readonly force?: boolean
}

/**
 * Server-side apply: merges the configuration into the live object, removes fields that the manager no longer
 * applies, and updates managedFields. Without a live object it returns the object to create. Returns `live` itself if
 * nothing changes.
 */
export function applyConfiguration(
  live: KubeJson | undefined,
  config: unknown,
  applying: ApplyRequest,
): KubeJson {
  const { kind, manager } = applying
  if (manager === '') throw namelessRefusal()
  const shape = shapeOfKind(kind)
  const desired = checked(config, kind, shape)
  const start = live ?? { apiVersion: desired['apiVersion'], kind: desired['kind'] }
  const owners = ownersBefore(live, shape, applying)
  const work: Work = { start, desired, owners, shape, applying }
  const outcome = applyOnce(work)
  const object = kind.builtIn ? (withoutEmpties(outcome.object, shape) as KubeJson) : outcome.object
  const complete = withOwners(object, outcome.owners, kind)
  return keepIfUnchanged(
    live,
    manager === lastAppliedManager ? withLastApplied(complete, desired) : complete,
  )
}

interface Work {
  readonly start: KubeJson
  readonly desired: KubeJson
  readonly owners: Owners
  readonly shape: Shape
  readonly applying: ApplyRequest
}

interface Outcome {
  readonly object: KubeJson
  readonly owners: Owners
}

function applyOnce(work: Work): Outcome {
  const { start, desired, owners, shape, applying } = work
  const { kind, now, force = false, subresource = '' } = applying
  const ignored = resetFields(kind, subresource)
  const key = selfKey(applying)
  const previous = owners.get(key)
  const fields = fieldsOf(desired, shape).without(ignored)
  const self = { ...identity(applying), ...(previous?.time ? { time: previous.time } : {}), fields }
  const claimed = new Map(owners).set(key, self)
  const object = pruneUnapplied(
    mergeApplied(withoutManagedFields(start), desired, shape),
    previous?.fields ?? FieldSet.empty,
    claimed,
    shape,
  ) as KubeJson
  const comparison = ignoring(compare(withoutManagedFields(start), object, shape), ignored)
  const taken = force ? new Map() : withoutLastApplied(conflicts(claimed, key, comparison), work)
  if (taken.size > 0) throw conflictError(taken, claimed)
  const left = afterWrite(claimed, key, comparison)
  const own = fields.difference(serverFields)
  if (own.isEmpty) left.delete(key)
  else left.set(key, { ...self, fields: own, ...timeOf(start, object, now) })
  return { object, owners: left }
}

/** An apply without changes keeps the time of its managedFields entry. */
function timeOf(start: KubeJson, object: KubeJson, now: number): { time?: string } {
  return sameJson(withoutManagedFields(start), object) ? {} : { time: timestamp(now) }
}

/** kubectl can take ownership of fields that its client-side apply has set, and of no others. */
function withoutLastApplied(
  taken: ReadonlyMap<string, FieldSet>,
  work: Work,
): Map<string, FieldSet> {
  const isKubectl = work.applying.manager === lastAppliedManager
  const excused = isKubectl ? lastAppliedFields(work.start, work.shape) : undefined
  const left = [...taken].map(([key, fields]): [string, FieldSet] => [
    key,
    excused ? fields.difference(excused) : fields,
  ])
  return new Map(left.filter(([, fields]) => !fields.isEmpty))
}

const identity = (applying: ApplyRequest): Omit<Owner, 'fields' | 'time'> => ({
  manager: applying.manager,
  operation: 'Apply',
  apiVersion: apiVersionOf(applying.kind),
  subresource: applying.subresource ?? '',
})

const selfKey = (applying: ApplyRequest): string => ownerKey(identity(applying))

/** Fields that were set before tracking started get an owner of their own, so that they cannot be taken silently. */
function ownersBefore(live: KubeJson | undefined, shape: Shape, applying: ApplyRequest): Owners {
  if (!live) return new Map()
  const owners = readOwners(managedFieldsOf(live))
  if (!owners) throw new StatusError(500, '', 'failed to decode managed fields of the live object')
  if (owners.size > 0) return owners
  const first = { ...applying, manager: 'before-first-apply' }
  return afterUpdate(emptyObject(applying.kind), withoutManagedFields(live), owners, shape, first)
}

function checked(config: unknown, kind: PatchedKind, shape: Shape): KubeJson {
  if (config !== null && !isObject(config)) {
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goJsonType(config)} into Go value of type map[string]interface {}`,
    )
  }
  const object = config ?? {}
  const found = typeText(object['apiVersion'], object['kind'])
  if (found !== typeText(apiVersionOf(kind), kind.kind)) {
    throw badRequest(`invalid object type: ${found}`)
  }
  const { metadata } = object
  const { managedFields, name, namespace } = (isObject(metadata) ? metadata : {}) as KubeJson
  if (managedFields !== undefined && managedFields !== null) {
    throw badRequest('metadata.managedFields must be nil')
  }
  const errors = typedErrors(object, shape)
  if (errors.length === 0) return object
  const place = `${textOr(namespace)}/${textOr(name)}; ${found}`
  const message = `failed to create typed patch object (${place}): ${typedErrorText(errors)}`
  throw new StatusError(500, '', message)
}

function namelessRefusal(): StatusError {
  const at = { group: 'meta.k8s.io', resource: '', kind: 'PatchOptions', name: '' }
  const message = 'Required value: is required for apply patch'
  const error = invalid(at, [{ reason: 'FieldValueRequired', message, field: 'fieldManager' }])
  const { name: _, ...details } = error.details!
  return new StatusError(error.code, error.reason, error.message, details)
}

function typeText(apiVersion: unknown, kind: unknown): string {
  const version = textOr(apiVersion)
  return `${version.includes('/') ? version : `/${version}`}, Kind=${textOr(kind)}`
}

const textOr = (value: unknown): string => (typeof value === 'string' ? value : '')
