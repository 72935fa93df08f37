import type { ObjectMeta } from '@machinist/core/resource'
import { isObject } from '@machinist/core/json'
import type { ServedKind } from '../kinds/served-kind.ts'
import { mistypedMetadata } from '../protobuf/mistyped-field.ts'
import type { Cause } from '../refusal.ts'
import { embeddedIn } from '../schema/embedded.ts'
import { shown } from '../schema/go-text.ts'
import type { StructuralSchema } from '../schema/structural-schema.ts'
import { metadataProblems } from './metadata-check.ts'

/** The first resource within a resource whose type or metadata cannot be read. */
export function mistypedEmbedded({ schema }: ServedKind, object: unknown): string | undefined {
  if (!schema) return undefined
  for (const { path, value } of embeddedIn(schema, object)) {
    for (const field of ['apiVersion', 'kind']) {
      const given = value[field] ?? ''
      if (typeof given !== 'string') {
        return `${path}.${field}: Invalid value: ${shown(given)}: must be a string`
      }
    }
    const metadata = value['metadata'] ?? {}
    const problem = mistypedMetadata(metadata)
    if (problem !== undefined)
      return `${path}.metadata: Invalid value: ${shown(metadata)}: ${problem}`
  }
  return undefined
}

const anyName = { builtIn: false, rules: { nameRule: 'path-segment' } } as const

/** Names, labels and annotations of resources within a resource must be such as any object may have. */
export function embeddedMetadataProblems(schema: StructuralSchema, object: unknown): Cause[] {
  return [...embeddedIn(schema, object)].flatMap(({ path, value }) => {
    const { metadata } = value
    if (!isObject(metadata)) return []
    const named = { name: 'unnamed', ...metadata } as unknown as ObjectMeta
    return metadataProblems(named, anyName).map(({ reason, message, field }) => {
      return { reason, message, field: `${path}.${field}` }
    })
  })
}
