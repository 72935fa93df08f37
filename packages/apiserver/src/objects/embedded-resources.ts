import type { ObjectMeta } from '@machinist/core/objects/resource'
import { isObject } from '@machinist/core/encoding/json'
import type { ServedKind } from '../kinds/served-kind.ts'
import { mistypedMetadata } from '../protobuf/mistyped-field.ts'
import type { StatusCause } from '../status/status-error.ts'
import { embeddedIn } from '../schema/embedded.ts'
import { fieldValueText } from '../go/quoted-text.ts'
import type { StructuralSchema } from '../schema/structure/structural-schema.ts'
import { metadataProblems } from './metadata-check.ts'

/** The first embedded resource whose type or metadata cannot be decoded. */
export function mistypedEmbedded({ schema }: ServedKind, object: unknown): string | undefined {
  if (!schema) return undefined
  for (const { path, value } of embeddedIn(schema, object)) {
    for (const field of ['apiVersion', 'kind']) {
      const given = value[field] ?? ''
      if (typeof given !== 'string') {
        return `${path}.${field}: Invalid value: ${fieldValueText(given)}: must be a string`
      }
    }
    const metadata = value['metadata'] ?? {}
    const problem = mistypedMetadata(metadata)
    if (problem !== undefined)
      return `${path}.metadata: Invalid value: ${fieldValueText(metadata)}: ${problem}`
  }
  return undefined
}

const anyName = { builtIn: false, rules: { nameRule: 'path-segment' } } as const

/** Validates names, labels and annotations of embedded resources. */
export function embeddedMetadataProblems(schema: StructuralSchema, object: unknown): StatusCause[] {
  return [...embeddedIn(schema, object)].flatMap(({ path, value }) => {
    const { metadata } = value
    if (!isObject(metadata)) return []
    const named = { name: 'unnamed', ...metadata } as unknown as ObjectMeta
    return metadataProblems(named, anyName).map(({ reason, message, field }) => {
      return { reason, message, field: `${path}.${field}` }
    })
  })
}
