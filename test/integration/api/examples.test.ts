import { describe, expect, it } from 'vitest'
import { imageRegistryKinds, kinds } from '../../../src/api/kinds.ts'
import { customResourceDefinition } from '../../../src/api/schema/crd.ts'
import type { OpenApiSchema } from '../../../src/api/schema/schema.ts'
import { examples } from './examples.ts'

const all = examples()
const shown = [...kinds, ...imageRegistryKinds]

describe('the examples', () => {
  it.each(shown.map((kind) => kind.resource.kind))('show %s valid and invalid', (kind) => {
    const of = all.filter(({ states }) => states[0]?.kind === kind)
    expect(of.filter(({ valid }) => valid).length).toBeGreaterThanOrEqual(3)
    expect(of.filter(({ valid }) => !valid).length).toBeGreaterThanOrEqual(4)
  })

  it('say what is wrong with every invalid one, and only with those', () => {
    const silent = all.filter(({ valid, expect }) => valid === (expect !== undefined))
    expect(silent.map(({ file }) => file)).toEqual([])
  })

  it('break every rule of every kind', () => {
    const unbroken = shown.flatMap((kind) => {
      const of = all.filter(({ states }) => states[0]?.kind === kind.resource.kind)
      const { schema } = customResourceDefinition(kind).spec.versions[0]!
      return messages(schema.openAPIV3Schema)
        .filter((message) => !of.some(({ expect }) => expect && overlap(expect, message)))
        .map((message) => `${kind.resource.kind}: ${message}`)
    })
    expect([...new Set(unbroken)]).toEqual([])
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
