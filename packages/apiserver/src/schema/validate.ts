import { isObject, sameJson } from '@machinist/core/encoding/json'
import type { StatusCause } from '../status/status-error.ts'
import { invalidValue, requiredValue, tooMany, unsupportedValue } from '../status/causes.ts'
import { memberOf } from './structure/members.ts'
import type { Place } from './structure/place.ts'
import { itemPlace, memberPlace, nameOf } from './structure/place.ts'
import { oldItems, oldMember, unchanged } from './ratchet.ts'
import { numberProblems, textProblems } from './scalars.ts'
import type { StructuralSchema } from './structure/structural-schema.ts'
import { typeProblem } from './types.ts'

/** OpenAPI validation of a value. Unchanged values are skipped (`old`; undefined if there is no counterpart). */
export function schemaProblems(
  schema: StructuralSchema,
  value: unknown,
  old: unknown,
  place: Place,
): StatusCause[] {
  const found: StatusCause[] = []
  look(schema, value, old, place, (cause) => found.push(cause))
  return found
}

type Report = (cause: StatusCause) => void

function look(
  schema: StructuralSchema,
  value: unknown,
  old: unknown,
  place: Place,
  report: Report,
): void {
  if (unchanged(value, old)) return
  const wrong = typeProblem(schema, value, place)
  if (wrong) report(wrong)
  lookAtEnum(schema, value, place, report)
  if (value === null) return
  lookAtBranches(schema, value, place, report)
  if (typeof value === 'string') textProblems(schema, value, place).forEach(report)
  if (typeof value === 'number') numberProblems(schema, value, place).forEach(report)
  if (Array.isArray(value)) lookAtItems(schema, value, old, place, report)
  if (isObject(value)) lookAtMembers(schema, value, old, place, report)
}

function lookAtEnum(schema: StructuralSchema, value: unknown, place: Place, report: Report): void {
  if (schema.enum === undefined || schema.enum.some((one) => sameJson(one, value))) return
  report(unsupportedValue(place.path, value, schema.enum))
}

function lookAtItems(
  schema: StructuralSchema,
  value: readonly unknown[],
  old: unknown,
  place: Place,
  report: Report,
): void {
  const { items, minItems, maxItems } = schema
  if (items) {
    const before = oldItems(schema, value, old)
    for (const [index, item] of value.entries()) {
      look(items, item, before(index)?.item, itemPlace(place, index), report)
    }
  }
  if (minItems !== undefined && value.length < minItems) {
    const why = `${nameOf(place)} in body should have at least ${minItems} items`
    report(invalidValue(place.path, value.length, why))
  }
  if (maxItems !== undefined && value.length > maxItems) {
    report(tooMany(place.path, value.length, maxItems))
  }
}

function lookAtMembers(
  schema: StructuralSchema,
  value: Readonly<Record<string, unknown>>,
  old: unknown,
  place: Place,
  report: Report,
): void {
  const { minProperties, maxProperties, required = [] } = schema
  const keys = Object.keys(value)
  if (minProperties !== undefined && keys.length < minProperties) {
    const why = `${nameOf(place)} in body should have at least ${minProperties} properties`
    report(invalidValue(place.path, keys.length, why))
  }
  if (maxProperties !== undefined && keys.length > maxProperties) {
    report(tooMany(place.path, keys.length, maxProperties))
  }
  for (const key of required) {
    if (!Object.hasOwn(value, key)) report(requiredValue(memberPlace(place, key).path))
  }
  for (const key of keys) {
    const member = memberOf(schema, key)
    if (!member) continue
    look(member.schema, value[key], oldMember(old, key), memberPlace(place, key), report)
  }
}

function lookAtBranches(
  schema: StructuralSchema,
  value: unknown,
  place: Place,
  report: Report,
): void {
  const { allOf = [], anyOf = [], oneOf = [], not } = schema
  const against = (branch: StructuralSchema): StatusCause[] =>
    schemaProblems(branch, value, undefined, place)
  const must = (what: string): void =>
    report(invalidValue('', '', `"${nameOf(place)}" must ${what}`))
  if (anyOf.length > 0) {
    const results = anyOf.map(against)
    if (results.every((result) => result.length > 0)) {
      must('validate at least one schema (anyOf)')
      results[0]!.forEach(report)
    }
  }
  if (oneOf.length > 0) {
    const results = oneOf.map(against)
    const good = results.filter((result) => result.length === 0).length
    const one = 'validate one and only one schema (oneOf). Found'
    if (good > 1) must(`${one} ${good} valid alternatives`)
    if (good === 0) {
      must(`${one} none valid`)
      results[0]!.forEach(report)
    }
  }
  const bad = allOf.map(against).filter((result) => result.length > 0)
  for (const result of bad) result.forEach(report)
  const none = bad.length === allOf.length ? '. None validated' : ''
  if (bad.length > 0) must(`validate all the schemas (allOf)${none}`)
  if (not && against(not).length === 0) must('not validate the schema (not)')
}
