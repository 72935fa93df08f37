import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkSchema } from './check-crd.ts'
import type { StructuralSchema } from './structure/structural-schema.ts'

const reported = (schema: unknown): string[] =>
  checkSchema(schema as StructuralSchema).map(({ field, message }) => `${field}: ${message}`)

describe('the schema of a CRD', () => {
  const root = 'spec.validation.openAPIV3Schema'
  it.each([
    [null, [`${root}: Invalid value: "null": must be an object`]],
    ['text', [`${root}: Invalid value: "string": must be an object`]],
    [
      { type: 'object', properties: null, required: ['a', 1] },
      [
        `${root}.properties: Invalid value: "null": must be an object`,
        `${root}.required[1]: Invalid value: "integer": must be of type string`,
      ],
    ],
    [
      { type: 'object', 'x-kubernetes-validations': [{ rule: 1 }, 'true'] },
      [
        `${root}.x-kubernetes-validations[0].rule: Invalid value: "integer": must be of type string`,
        `${root}.x-kubernetes-validations[1]: Invalid value: "string": must be an object`,
      ],
    ],
    [
      { type: 'object', 'x-kubernetes-validations': [{ message: 'a rule without rule' }] },
      [`${root}.x-kubernetes-validations[0].rule: Required value: rule is not specified`],
    ],
  ])('%j', (schema, causes) => {
    expect(reported(schema)).toEqual(causes)
  })

  it('can use an unsupported function only with a warning', () => {
    const rule = { rule: 'self.metadata.name.reverse() == "a"' }
    expect(reported({ type: 'object', 'x-kubernetes-validations': [rule] })).toEqual([
      expect.stringContaining(
        "compilation failed: ERROR: <input>:1:27: undeclared reference to 'reverse'",
      ),
    ])
  })

  it('of any depth is rejected', () => {
    let deep: unknown = { type: 'string' }
    for (let i = 0; i < 50_000; i++) deep = { type: 'array', items: deep }
    expect(reported(deep)).toEqual([
      `${root}: Invalid value: "object": must not be nested deeper than 500`,
    ])
  })

  it('reports an invalid pattern once, also with a default', () => {
    expect(
      reported({
        type: 'object',
        properties: { a: { type: 'string', pattern: '(', default: 'b' } },
      }),
    ).toHaveLength(1)
  })

  it('reports an empty rule once, also with a default', () => {
    expect(
      reported({
        type: 'object',
        properties: { a: { type: 'object', default: {}, 'x-kubernetes-validations': [{}] } },
      }),
    ).toEqual([
      'spec.validation.openAPIV3Schema.properties[a].x-kubernetes-validations[0].rule: Required value: rule is not specified',
    ])
  })

  it('of any JSON has causes or none, and never throws', () => {
    const names =
      'type properties items enum default required anyOf not pattern additionalProperties nullable ' +
      'x-kubernetes-validations x-kubernetes-list-type x-kubernetes-embedded-resource'
    const word = fc.constantFrom(...names.split(' '))
    const value = fc.oneof(
      fc.constantFrom<unknown>('object', 'array', 'string', true, null, 1, 'set', '('),
      fc.jsonValue({ maxDepth: 1 }),
    )
    const { schema } = fc.letrec((tie) => ({
      schema: fc.dictionary(word, fc.oneof({ maxDepth: 3 }, value, tie('schema'), tie('list')), {
        maxKeys: 4,
      }),
      list: fc.array(fc.oneof({ maxDepth: 3 }, value, tie('schema')), { maxLength: 2 }),
    }))
    fc.assert(
      fc.property(schema, (given) => {
        expect(reported(given).filter((text) => text === '')).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })
})
