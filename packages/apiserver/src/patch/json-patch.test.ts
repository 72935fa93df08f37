import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import { arbitraryConfigMap, arbitraryJson } from '../../test/patch/arbitrary.ts'
import { mistakeOf } from '../../test/patch/mistake-of.ts'
import { applyJsonPatch } from './json-patch.ts'

const unfit = {
  code: 422,
  reason: 'Invalid',
  message: 'the server rejected our request due to an error in our request',
  details: {},
}

describe('a JSON patch', () => {
  it.for([
    ['adds a key', [{ op: 'add', path: '/b', value: 1 }], { a: [1, 2], b: 1 }],
    ['adds an item at a place', [{ op: 'add', path: '/a/1', value: 9 }], { a: [1, 9, 2] }],
    ['adds an item at the end', [{ op: 'add', path: '/a/-', value: 9 }], { a: [1, 2, 9] }],
    ['counts from behind', [{ op: 'add', path: '/a/-1', value: 9 }], { a: [1, 2, 9] }],
    ['counts from behind', [{ op: 'add', path: '/a/-2', value: 9 }], { a: [1, 9, 2] }],
    ['removes from behind', [{ op: 'remove', path: '/a/-1' }], { a: [1] }],
    ['replaces what was not there', [{ op: 'replace', path: '/b', value: 1 }], { a: [1, 2], b: 1 }],
    ['replaces the whole', [{ op: 'replace', path: '', value: { z: 1 } }], { z: 1 }],
    ['tests the whole', [{ op: 'test', path: '', value: { a: [1, 2] } }], { a: [1, 2] }],
    ['takes nothing for null', [{ op: 'test', path: '/none', value: null }], { a: [1, 2] }],
    ['moves', [{ op: 'move', from: '/a/0', path: '/b' }], { a: [2], b: 1 }],
    ['copies nothing as null', [{ op: 'copy', from: '/none', path: '/b' }], { a: [1, 2], b: null }],
    ['reads escapes', [{ op: 'add', path: '/~01~1', value: 1 }], { a: [1, 2], '~1/': 1 }],
    ['does nothing', [], { a: [1, 2] }],
  ] as const)('%s', ([, patch, result]) => {
    expect(applyJsonPatch({ a: [1, 2] }, patch)).toEqual(result)
  })

  it('does not modify the object and the patch', () => {
    const object = { a: { b: [1] } }
    const patch = [
      { op: 'add', path: '/c', value: { d: 1 } },
      { op: 'replace', path: '/c/d', value: 2 },
      { op: 'add', path: '/a/b/-', value: 2 },
    ]
    expect(applyJsonPatch(object, patch)).toEqual({ a: { b: [1, 2] }, c: { d: 2 } })
    expect(object).toEqual({ a: { b: [1] } })
    expect(patch[0]).toEqual({ op: 'add', path: '/c', value: { d: 1 } })
  })

  it('treats __proto__ as a key', () => {
    const result = applyJsonPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: 1 } }])
    expect(JSON.stringify(result)).toBe('{"__proto__":{"polluted":1}}')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('copies values', () => {
    const patch = [
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'add', path: '/b/-', value: 3 },
    ]
    expect(applyJsonPatch({ a: [1] }, patch)).toEqual({ a: [1], b: [1, 3] })
  })
})

describe('a rejected JSON patch', () => {
  it('has more than ten thousand operations', () => {
    const patch = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/a', value: 1 }))
    expect(thrownBy(() => applyJsonPatch({ a: 1 }, patch))).toMatchObject({
      code: 413,
      reason: 'RequestEntityTooLarge',
      message:
        'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    })
    expect(applyJsonPatch({ a: 1 }, patch.slice(1))).toEqual({ a: 1 })
  })

  it('copies too many bytes', () => {
    const copies = Array.from({ length: 60 }, (_, i) => ({ op: 'copy', from: '/y', path: `/${i}` }))
    const patch = [{ op: 'add', path: '/y', value: 'y'.repeat(100_000) }, ...copies]
    expect(thrownBy(() => applyJsonPatch({}, patch))).toMatchObject(unfit)
  })

  it('nests an object in itself', () => {
    const patch = Array.from({ length: 16 }, () => ({ op: 'copy', from: '/a', path: '/a/a' }))
    const deep = patch.map(({ op, from }, i) => ({ op, from, path: `/a${'/a'.repeat(2 ** i)}` }))
    expect(thrownBy(() => applyJsonPatch({ a: {} }, deep))).toMatchObject(unfit)
  })

  it.for([
    [{ op: 'add', path: '/a/3', value: 1 }],
    [{ op: 'add', path: '/a/-4', value: 1 }],
    [{ op: 'add', path: '/a/1e0', value: 1 }],
    [{ op: 'remove', path: '/a/2' }],
    [{ op: 'move', from: '/none', path: '/b' }],
    [{ op: 'test', path: '/a/0', value: 2 }],
    [{ op: 'test', path: '/a/9', value: null }],
    [{ op: 'add', path: '', value: {} }],
    [null],
    [{}],
  ])('%j', (patch) => {
    expect(thrownBy(() => applyJsonPatch({ a: [1, 2] }, patch))).toMatchObject(unfit)
  })

  it('of any content throws only StatusError', () => {
    const operation = fc.record(
      {
        op: fc.constantFrom('add', 'remove', 'replace', 'test', 'move', 'copy', 'x'),
        path: path(),
        from: path(),
        value: arbitraryJson,
      },
      { requiredKeys: [] },
    )
    const patch = fc.oneof(fc.array(operation, { maxLength: 6 }), arbitraryJson)
    fc.assert(
      fc.property(arbitraryConfigMap, patch, (object, operations) => {
        const before = JSON.stringify(object)
        expect(mistakeOf(() => applyJsonPatch(object, operations))).toBeUndefined()
        expect(JSON.stringify(object)).toBe(before)
      }),
      { numRuns: 500 },
    )
  })
})

function path(): fc.Arbitrary<string> {
  const step = fc.constantFrom(
    'metadata',
    'labels',
    'finalizers',
    'p',
    'data',
    '0',
    '-',
    '-1',
    '~1',
  )
  return fc.array(step, { maxLength: 4 }).map((steps) => steps.map((one) => `/${one}`).join(''))
}
