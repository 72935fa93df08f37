import fc from 'fast-check'
import type { StructuralSchema } from '@machinist/apiserver/schema/structure/structural-schema'
import { isObject } from '@machinist/core/encoding/json'

/** Objects that mostly match a schema, with some violations. */
export function arbitraryObject(schema: StructuralSchema): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(schema.properties ?? {}).filter(([key]) => key !== 'metadata')
  const members = fields.map(([key, member]) => [key, arbitraryValue(member)] as const)
  const metadata = fc.constant({ name: 'fuzzed' })
  return fc.record(Object.fromEntries([...members, ['metadata', metadata] as const]), {
    requiredKeys: ['metadata'],
  })
}

function arbitraryValue(schema: StructuralSchema): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 20, arbitrary: fitting(schema) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  )
}

function fitting(schema: StructuralSchema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema['x-kubernetes-int-or-string']) return fc.oneof(fc.integer(), fc.string())
  const { type, items } = schema
  if (type === 'object') return fittingObject(schema)
  if (type === 'array') return fc.array(arbitraryValue(items ?? {}), { maxLength: 3 })
  if (type === 'integer') return fc.integer({ min: -2, max: 20 })
  if (type === 'number') return fc.double()
  if (type === 'boolean') return fc.boolean()
  return type === 'string' ? fittingText(schema) : fc.jsonValue({ maxDepth: 2 })
}

function fittingObject(schema: StructuralSchema): fc.Arbitrary<unknown> {
  const { properties, additionalProperties } = schema
  if (isObject(additionalProperties)) {
    return fc.dictionary(fc.string({ maxLength: 5 }), arbitraryValue(additionalProperties), {
      maxKeys: 3,
    })
  }
  if (!properties) return fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 1 }))
  const members = Object.entries(properties).map(([key, of]) => [key, arbitraryValue(of)] as const)
  const bogus = ['bogus', fc.jsonValue({ maxDepth: 1 })] as const
  return fc.record(Object.fromEntries([...members, bogus]), {
    requiredKeys: [...(schema.required ?? [])],
  })
}

function fittingText({ format }: StructuralSchema): fc.Arbitrary<string> {
  const texts = [
    'worker',
    '/etc/a',
    'a.service',
    'registry.io/a@sha256:' + 'a'.repeat(64),
    '4.18.2',
    '',
  ]
  if (format === 'date-time')
    return fc.constantFrom('2024-01-01T00:00:00Z', '2025-01-01T00:00:00Z', 'x')
  if (format === 'byte') return fc.constantFrom('aGk=', 'x')
  return fc.oneof(fc.constantFrom(...texts), fc.string({ maxLength: 10 }))
}
