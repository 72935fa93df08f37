import { describe, expect, it } from 'vitest'
import { imageRegistryKinds, kinds } from '../../../src/api/definitions/kinds.ts'
import { customResourceDefinition } from '../../../src/api/definitions/crd.ts'
import type { OpenApiSchema } from '../../../src/api/schema/schema.ts'
import { examples } from './examples.ts'

const all = examples()
const allKinds = [...kinds, ...imageRegistryKinds]

describe('the examples', () => {
  it.each(allKinds.map((kind) => kind.resource.kind))(
    'contain valid and invalid objects of kind %s',
    (kind) => {
      const of = all.filter(({ states }) => states[0]?.kind === kind)
      expect(of.filter(({ valid }) => valid).length).toBeGreaterThanOrEqual(3)
      expect(of.filter(({ valid }) => !valid).length).toBeGreaterThanOrEqual(4)
    },
  )

  it('have an expected message exactly if they are invalid', () => {
    const inconsistent = all.filter(({ valid, expect }) => valid === (expect !== undefined))
    expect(inconsistent.map(({ file }) => file)).toEqual([])
  })

  it('violate every rule of every kind', () => {
    const untested = allKinds.flatMap((kind) => {
      const of = all.filter(({ states }) => states[0]?.kind === kind.resource.kind)
      const { schema } = customResourceDefinition(kind).spec.versions[0]!
      return messages(schema.openAPIV3Schema)
        .filter((message) => !of.some(({ expect }) => expect && overlap(expect, message)))
        .map((message) => `${kind.resource.kind}: ${message}`)
    })
    expect([...new Set(untested)]).toEqual([])
  })
})

function messages(schema: OpenApiSchema): string[] {
  const own = (schema['x-kubernetes-validations'] ?? []).map(({ message }) => message)
  const inner = [
    ...Object.values(schema.properties ?? {}),
    ...[schema.items, schema.additionalProperties].filter((below) => below !== undefined),
  ]
  return [...own, ...inner.flatMap(messages)]
}

function overlap(expected: string, message: string): boolean {
  return expected.includes(message) || message.includes(expected)
}
