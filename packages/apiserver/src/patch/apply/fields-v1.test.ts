import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryFieldSet, arbitraryJson } from '../../../test/patch/arbitrary.ts'
import { FieldSet } from './field-set.ts'
import { readFields, writeFields } from './fields-v1.ts'

/** As printed by a real kube-apiserver. */
const printed =
  '{"f:metadata":{"f:finalizers":{".":{},"v:\\"x.io/a\\"":{},"v:\\"x.io/b\\"":{}},"f:ownerReferences":{".":{},"k:{\\"uid\\":\\"1\\"}":{}}},"f:status":{}}'

describe('FieldsV1', () => {
  it('is parsed and printed as in kube-apiserver', () => {
    const set = readFields(JSON.parse(printed))
    expect(set?.has(['f:metadata', 'f:finalizers', 'v:"x.io/b"'])).toBe(true)
    expect(set?.has(['f:metadata', 'f:finalizers'])).toBe(true)
    expect(set?.has(['f:metadata'])).toBe(false)
    expect(set?.has(['f:status'])).toBe(true)
    expect(JSON.stringify(writeFields(set!))).toBe(printed)
  })

  it('sorts keys, including those inside an element', () => {
    const set = readFields({ 'v:2': {}, 'f:b': {}, 'k:{"b":1,"a":2}': {}, 'f:a': {}, 'v:10': {} })
    expect(Object.keys(writeFields(set!))).toEqual(['f:a', 'f:b', 'k:{"a":2,"b":1}', 'v:2', 'v:10'])
  })

  it('ignores unknown element types', () => {
    expect(writeFields(readFields({ 'x:new': {}, 'f:a': {} })!)).toEqual({ 'f:a': {} })
  })

  it.for([
    { 'k:{': {} },
    { 'v:nonsense': {} },
    { 'i:x': {} },
    { a: {} },
    { 'f:a': 1 },
    { 'f:a': { b: {} } },
    [],
    'x',
    null,
  ])('is invalid: %j', (fields) => {
    expect(readFields(fields)).toBeUndefined()
  })

  it('has limited nesting', () => {
    let deep: object = {}
    for (let i = 0; i < 10_000; i++) deep = { 'f:a': deep }
    expect(readFields(deep)).toBeUndefined()
  })

  it('is unchanged by a round trip', () => {
    fc.assert(
      fc.property(arbitraryFieldSet, (set) => {
        const wire = JSON.parse(JSON.stringify(writeFields(set))) as unknown
        expect(readFields(wire)?.equals(set)).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.object(), arbitraryJson), (value) => {
        const read = readFields(value)
        expect(read === undefined || read instanceof FieldSet).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})
