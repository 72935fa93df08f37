import { isObject } from '@machinist/core/encoding/json'
import type { StatusCause } from '../status/status-error.ts'
import { invalidValue, requiredValue } from '../status/causes.ts'
import { memberOf, memberPath } from './structure/members.ts'
import type { StructuralSchema } from './structure/structural-schema.ts'

/** The metadata fields that an embedded resource keeps. */
export const metadataFields: ReadonlySet<string> = new Set([
  'annotations',
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'finalizers',
  'generateName',
  'generation',
  'labels',
  'managedFields',
  'name',
  'namespace',
  'ownerReferences',
  'resourceVersion',
  'selfLink',
  'uid',
])

export interface Embedded {
  readonly path: string
  readonly value: Readonly<Record<string, unknown>>
}

/** The embedded resources, outer ones first. */
export function* embeddedIn(
  schema: StructuralSchema,
  value: unknown,
  path = '',
): Generator<Embedded> {
  if (Array.isArray(value)) {
    const { items } = schema
    if (!items) return
    for (const [index, item] of value.entries()) yield* embeddedIn(items, item, `${path}[${index}]`)
  }
  if (!isObject(value) || Array.isArray(value)) return
  if (schema['x-kubernetes-embedded-resource']) yield { path, value }
  for (const key of Object.keys(value)) {
    const member = memberOf(schema, key)
    if (!member) continue
    yield* embeddedIn(member.schema, value[key], memberPath(path, key, member.named))
  }
}

/** Validates apiVersion and kind of embedded resources. */
export function embeddedProblems(schema: StructuralSchema, object: unknown): StatusCause[] {
  return [...embeddedIn(schema, object)].flatMap(({ path, value }) => typeMeta(value, path))
}

function typeMeta(value: Readonly<Record<string, unknown>>, path: string): StatusCause[] {
  return (['apiVersion', 'kind'] as const).flatMap((key) => {
    const field = `${path}.${key}`
    if (!Object.hasOwn(value, key)) return [requiredValue(field, 'must not be empty')]
    const given = value[key]
    if (typeof given !== 'string') return [invalidValue(field, given, 'must be a string')]
    if (given === '') return [invalidValue(field, given, 'must not be empty')]
    const wrong = key === 'kind' ? kindProblem(given) : versionProblem(given)
    return wrong === undefined ? [] : [invalidValue(field, given, wrong)]
  })
}

function kindProblem(kind: string): string | undefined {
  if (/^[a-z]([-a-z0-9]*[a-z0-9])?$/i.test(kind) && kind.length <= 63) return undefined
  return "may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
}

function versionProblem(apiVersion: string): string | undefined {
  if (apiVersion.split('/').length <= 2) return undefined
  return `unexpected GroupVersion string: ${apiVersion}`
}
