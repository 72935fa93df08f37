import { describe, expect, it } from 'vitest'
import type { ServedKind } from '../kinds/served-kind.ts'
import type { StructuralSchema } from '../schema/structure/structural-schema.ts'
import { embeddedMetadataProblems, mistypedEmbedded } from './embedded-resources.ts'

const embedded: StructuralSchema = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
}
const schema: StructuralSchema = {
  type: 'object',
  properties: { list: { type: 'array', items: embedded } },
}
const typeProblem = (...list: unknown[]): string | undefined =>
  mistypedEmbedded({ schema } as ServedKind, { list })

describe('an embedded resource', () => {
  it('has decoding errors with its path and the message of Go', () => {
    expect(typeProblem({ apiVersion: 'v1' }, { kind: 1 })).toBe(
      'list[1].kind: Invalid value: 1: must be a string',
    )
    expect(typeProblem({ metadata: 'x' })).toBe(
      'list[0].metadata: Invalid value: "x": json: cannot unmarshal string into Go value of type v1.ObjectMeta',
    )
    expect(typeProblem({ metadata: { labels: { a: 1 } } })).toBe(
      'list[0].metadata: Invalid value: map[string]interface {}{"labels":map[string]interface {}{"a":1}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    )
    expect(typeProblem({ apiVersion: 'v1', kind: 'Pod', metadata: null }, 5)).toBeUndefined()
  })

  it('has metadata without a required name', () => {
    const metadata = { labels: { 'a b': 'c' } }
    const [problem, ...others] = embeddedMetadataProblems(schema, { list: [{ metadata }] })
    expect(problem?.field).toBe('list[0].metadata.labels')
    expect(others).toEqual([])
    expect(embeddedMetadataProblems(schema, { list: [{ metadata: {} }, {}] })).toEqual([])
  })
})
