import { describe, expect, it } from 'vitest'
import { compileSchema, InvalidSchema } from './compiled-schema.ts'
import type { StructuralSchema } from './structure/structural-schema.ts'

const text = { type: 'string' } as const
const ofSpec = (spec: StructuralSchema): StructuralSchema => ({
  type: 'object',
  properties: { spec },
})

describe('a compiled schema', () => {
  it('is rejected with all causes', () => {
    const wrong = {
      type: 'object',
      properties: { a: { type: 'array' }, b: { type: 'string', pattern: '(' } },
    } as const
    const compile = (): unknown => compileSchema(wrong)
    expect(compile).toThrow(InvalidSchema)
    expect(compile).toThrow(
      'spec.validation.openAPIV3Schema.properties[a].items: Required value: must be specified, ' +
        'spec.validation.openAPIV3Schema.properties[b].pattern: Invalid value: "(": must be a valid regular ' +
        "expression, but isn't: error parsing regexp: missing closing ): `(`",
    )
  })

  it('does not modify the object', () => {
    const schema = compileSchema(
      ofSpec({ type: 'object', properties: { a: { ...text, default: 'x' } } }),
    )
    const given = Object.freeze({ kind: 'A', spec: Object.freeze({ b: 1 }), more: 1 })
    const { object, unknown } = schema.prune(given)
    expect(unknown).toEqual(['more', 'spec.b'])
    expect(object).toEqual({ kind: 'A', spec: {} })
    expect(schema.default(object)).toEqual({ kind: 'A', spec: { a: 'x' } })
  })

  it('keeps the metadata of the object and of embedded resources', () => {
    const embedded = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: { spec: text },
    } as const
    const { prune } = compileSchema(ofSpec(embedded))
    const metadata = { name: 'a', annotations: { b: 'c' } }
    const object = { metadata, spec: { kind: 'Pod', metadata: { ...metadata, odd: 1 }, odd: 1 } }
    expect(prune(object)).toEqual({
      object: { metadata, spec: { kind: 'Pod', metadata } },
      unknown: ['spec.metadata.odd', 'spec.odd'],
    })
  })

  it('requires apiVersion and kind of embedded resources to be strings', () => {
    const { validate } = compileSchema(
      ofSpec({
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      }),
    )
    expect(validate({ spec: { apiVersion: 1, kind: 'Pod' } })).toEqual([
      {
        reason: 'FieldValueInvalid',
        field: 'spec.apiVersion',
        message: 'Invalid value: 1: must be a string',
      },
    ])
  })

  it('treats __proto__ as an ordinary field', () => {
    const {
      prune,
      default: fill,
      validate,
    } = compileSchema(ofSpec({ type: 'object', additionalProperties: { type: 'integer' } }))
    const object = JSON.parse('{"spec": {"__proto__": "x", "constructor": 1}}') as Record<
      string,
      unknown
    >
    const filled = fill(prune(object).object)
    expect(JSON.stringify(filled)).toBe('{"spec":{"__proto__":"x","constructor":1}}')
    expect(validate(filled).map(({ field }) => field)).toEqual(['spec.__proto__'])
  })

  it('validates only the status of a status update', () => {
    const status = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } } } as const
    const schema: StructuralSchema = {
      type: 'object',
      properties: { spec: text, status },
      'x-kubernetes-validations': [{ rule: "self.spec != 'no'", message: 'not with no' }],
    }
    const { validate } = compileSchema(schema)
    const object = { spec: 'no', status: { n: 0 } }
    const messages = (subresource?: 'status'): (string | undefined)[] =>
      validate(
        { ...object, spec: 'no' },
        { spec: 'yes', status: {} },
        subresource && { subresource },
      ).map(({ field, message }) => `${field}: ${message}`)
    expect(messages('status')).toEqual([
      'status.n: Invalid value: 0: n in body should be greater than or equal to 1',
      '<nil>: Invalid value: "object": not with no',
    ])
    expect(messages()[0]).toBe(
      'status.n: Invalid value: 0: status.n in body should be greater than or equal to 1',
    )
  })
})

describe('large objects', () => {
  it('have a cause for every item', () => {
    const { validate } = compileSchema(
      ofSpec({ type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' }),
    )
    const causes = validate({ spec: Array.from({ length: 200_000 }, (_, i) => `${i}`) })
    expect(causes).toHaveLength(200_000)
    expect(causes.at(-1)?.field).toBe('spec[199999]')
  })

  it('are compared by key on an update', () => {
    const item = {
      type: 'object',
      properties: {
        k: text,
        n: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self >= oldSelf' }] },
      },
      required: ['k'],
    } as const
    const { validate } = compileSchema(
      ofSpec({
        type: 'array',
        items: item,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
      }),
    )
    const list = (n: number): unknown[] =>
      Array.from({ length: 20_000 }, (_, i) => ({ k: `${i}`, n }))
    const changed = [{ k: '3', n: 0 }, ...list(2).filter((_, i) => i !== 3)]
    expect(validate({ spec: changed }, { spec: list(1) })).toEqual([
      {
        reason: 'FieldValueInvalid',
        field: 'spec[0].n',
        message: 'Invalid value: "integer": failed rule: self >= oldSelf',
      },
    ])
  })

  it('of any depth are rejected', () => {
    const {
      prune,
      default: fill,
      validate,
    } = compileSchema(ofSpec({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }))
    let deep: Record<string, unknown> = {}
    for (let i = 0; i < 100_000; i++) deep = { a: deep, b: [i] }
    const object = { spec: deep }
    expect(prune(object).object).toBe(object)
    expect(fill(object)).toBe(object)
    expect(validate(object)).toEqual([
      {
        reason: 'FieldValueInvalid',
        field: '<nil>',
        message: 'Invalid value: "object": must not be nested deeper than 500',
      },
    ])
  })

  it('that exceed the budget of rules are rejected with one cause', () => {
    const list: StructuralSchema = {
      type: 'array',
      items: { type: 'integer' },
      'x-kubernetes-validations': [
        { rule: 'self.all(x, self.all(y, x != y || x == y))' },
        { rule: 'self.size() == 0' },
      ],
    }
    const { validate } = compileSchema(ofSpec(list))
    expect(validate({ spec: Array.from({ length: 3000 }, (_, i) => i) })).toEqual([
      {
        reason: 'FieldValueInvalid',
        field: 'spec',
        message:
          'Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run',
      },
    ])
  })
})
