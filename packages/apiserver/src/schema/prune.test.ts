import { describe, expect, it } from 'vitest'
import { fieldProblemText, prune, strictDecodingError } from './prune.ts'
import type { FieldProblem } from './prune.ts'
import type { StructuralSchema } from './structure/structural-schema.ts'

const text = { type: 'string' } as const
const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const

function pruned(spec: StructuralSchema, value: unknown): unknown {
  return prune({ type: 'object', properties: { spec } }, { spec: value })
}

describe('pruning', () => {
  it('keeps everything below an open field except unknown fields of known ones', () => {
    const schema = { ...open, properties: { known: { type: 'object', properties: { a: text } } } }
    const value = { known: { a: 'a', b: 1 }, other: { c: { d: [{}] } } }
    expect(pruned(schema as StructuralSchema, value)).toEqual({
      object: { spec: { known: { a: 'a' }, other: { c: { d: [{}] } } } },
      unknown: ['spec.known.b'],
    })
  })

  it('reports paths in lists and maps', () => {
    const item = { type: 'object', properties: { a: text } } as const
    const schema = { type: 'object', additionalProperties: { type: 'array', items: item } } as const
    expect(pruned(schema, { 'x.y': [{ a: 'a' }, { b: 1 }] })).toEqual({
      object: { spec: { 'x.y': [{ a: 'a' }, {}] } },
      unknown: ['spec.x.y[1].b'],
    })
  })

  it('keeps values of the wrong type for the validation', () => {
    const schema = { type: 'object', properties: { a: { type: 'array', items: text } } } as const
    const value = { a: 'text' }
    expect(pruned(schema, value)).toEqual({ object: { spec: value }, unknown: [] })
  })
})

describe('field problems', () => {
  const complaints: FieldProblem[] = [
    { kind: 'duplicate', path: 'spec.a' },
    { kind: 'unknown', path: 'spec.bogus' },
  ]

  it('are warnings', () => {
    expect(complaints.map((one) => fieldProblemText(one))).toEqual([
      'duplicate field "spec.a"',
      'unknown field "spec.bogus"',
    ])
  })

  it('are one error with strict validation, and none without problems', () => {
    expect(strictDecodingError(complaints)).toBe(
      'strict decoding error: duplicate field "spec.a", unknown field "spec.bogus"',
    )
    expect(strictDecodingError([])).toBeUndefined()
  })
})
