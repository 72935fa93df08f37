import { isObject, sameJson } from '@machinist/core/json'
import { Refusal, badRequest, invalid } from '../../refusal.ts'
import { goJsonType } from '../go-text.ts'
import type { PatchedKind } from '../shapes/shape-of-kind.ts'
import { shapeOfKind } from '../shapes/shape-of-kind.ts'
import type { Shape } from '../shapes/shape.ts'
import { compare, ignoring } from './comparison.ts'
import { conflictRefusal } from './conflict-refusal.ts'
import { FieldSet } from './field-set.ts'
import { fieldsOf } from './fields-of.ts'
import { lastAppliedFields, lastAppliedManager, withLastApplied } from './last-applied.ts'
import { timestamp } from '@machinist/core/timestamp'
import type { Owner, Owners } from './managed-fields.ts'
import { ownerKey, readOwners } from './managed-fields.ts'
import { merged } from './merged.ts'
import { afterWrite, conflicts } from './ownership.ts'
import { pruned } from './pruned.ts'
import type { KubeJson, Writing } from './tracked.ts'
import {
  afterUpdate,
  apiVersionOf,
  bare,
  emptyObject,
  managedFieldsOf,
  unlessSame,
  withOwners,
} from './tracked.ts'
import { typedErrorText, typedErrors } from './typed-errors.ts'
import { resetFields, serversFields } from './unowned-fields.ts'
import { withoutEmpties } from './without-empties.ts'

export interface Applying extends Writing {
  readonly force?: boolean
}

/**
 * Server-side apply: the live object with the configuration merged in, fields that its manager gave up removed, and
 * managedFields brought up to date. Without a live object it is the object to create. Where nothing changed, the answer
 * is `live` itself.
 */
export function applied(live: KubeJson | undefined, config: unknown, applying: Applying): KubeJson {
  const { kind, manager } = applying
  if (manager === '') throw namelessRefusal()
  const shape = shapeOfKind(kind)
  const wanted = checked(config, kind, shape)
  const start = live ?? { apiVersion: wanted['apiVersion'], kind: wanted['kind'] }
  const owners = ownersBefore(live, shape, applying)
  const work: Work = { start, wanted, owners, shape, applying }
  const outcome = applyOnce(work)
  const object = kind.builtIn ? (withoutEmpties(outcome.object, shape) as KubeJson) : outcome.object
  const complete = withOwners(object, outcome.owners, kind)
  return unlessSame(
    live,
    manager === lastAppliedManager ? withLastApplied(complete, wanted) : complete,
  )
}

interface Work {
  readonly start: KubeJson
  readonly wanted: KubeJson
  readonly owners: Owners
  readonly shape: Shape
  readonly applying: Applying
}

interface Outcome {
  readonly object: KubeJson
  readonly owners: Owners
}

function applyOnce(work: Work): Outcome {
  const { start, wanted, owners, shape, applying } = work
  const { kind, now, force = false, subresource = '' } = applying
  const ignored = resetFields(kind, subresource)
  const key = selfKey(applying)
  const previous = owners.get(key)
  const fields = fieldsOf(wanted, shape).without(ignored)
  const self = { ...identity(applying), ...(previous?.time ? { time: previous.time } : {}), fields }
  const claimed = new Map(owners).set(key, self)
  const object = pruned(
    merged(bare(start), wanted, shape),
    previous?.fields ?? FieldSet.empty,
    claimed,
    shape,
  ) as KubeJson
  const comparison = ignoring(compare(bare(start), object, shape), ignored)
  const taken = force ? new Map() : notExcused(conflicts(claimed, key, comparison), work)
  if (taken.size > 0) throw conflictRefusal(taken, claimed)
  const left = afterWrite(claimed, key, comparison)
  const own = fields.difference(serversFields)
  if (own.isEmpty) left.delete(key)
  else left.set(key, { ...self, fields: own, ...timeOf(start, object, now) })
  return { object, owners: left }
}

/** An apply that changes nothing leaves the time of its owner alone. */
function timeOf(start: KubeJson, object: KubeJson, now: number): { time?: string } {
  return sameJson(bare(start), object) ? {} : { time: timestamp(now) }
}

/** kubectl may take the fields that its client-side apply has written, and no others. */
function notExcused(taken: ReadonlyMap<string, FieldSet>, work: Work): Map<string, FieldSet> {
  const isKubectl = work.applying.manager === lastAppliedManager
  const excused = isKubectl ? lastAppliedFields(work.start, work.shape) : undefined
  const left = [...taken].map(([key, fields]): [string, FieldSet] => [
    key,
    excused ? fields.difference(excused) : fields,
  ])
  return new Map(left.filter(([, fields]) => !fields.isEmpty))
}

const identity = (applying: Applying): Omit<Owner, 'fields' | 'time'> => ({
  manager: applying.manager,
  operation: 'Apply',
  apiVersion: apiVersionOf(applying.kind),
  subresource: applying.subresource ?? '',
})

const selfKey = (applying: Applying): string => ownerKey(identity(applying))

/** Whatever was there before anybody was followed belongs to an owner of its own, so that it cannot be taken silently. */
function ownersBefore(live: KubeJson | undefined, shape: Shape, applying: Applying): Owners {
  if (!live) return new Map()
  const owners = readOwners(managedFieldsOf(live))
  if (!owners) throw new Refusal(500, '', 'failed to decode managed fields of the live object')
  if (owners.size > 0) return owners
  const first = { ...applying, manager: 'before-first-apply' }
  return afterUpdate(emptyObject(applying.kind), bare(live), owners, shape, first)
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
  throw new Refusal(500, '', message)
}

function namelessRefusal(): Refusal {
  const at = { group: 'meta.k8s.io', resource: '', kind: 'PatchOptions', name: '' }
  const message = 'Required value: is required for apply patch'
  const refusal = invalid(at, [{ reason: 'FieldValueRequired', message, field: 'fieldManager' }])
  const { name: _, ...details } = refusal.details!
  return new Refusal(refusal.code, refusal.reason, refusal.message, details)
}

function typeText(apiVersion: unknown, kind: unknown): string {
  const version = textOr(apiVersion)
  return `${version.includes('/') ? version : `/${version}`}, Kind=${textOr(kind)}`
}

const textOr = (value: unknown): string => (typeof value === 'string' ? value : '')
