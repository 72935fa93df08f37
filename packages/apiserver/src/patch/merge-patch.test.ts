import { describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import { applyServerMergePatch } from './merge-patch.ts'

describe('a merge patch', () => {
  it('is merged', () => {
    expect(applyServerMergePatch({ a: { b: 1, c: 2 } }, { a: { b: null, d: 3 } })).toEqual({
      a: { c: 2, d: 3 },
    })
  })

  it.for([
    [null, 'Invalid JSON Patch'],
    [
      [1],
      'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    [
      'x',
      'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}',
    ],
    [
      true,
      'error decoding patch: json: cannot unmarshal bool into Go value of type map[string]interface {}',
    ],
  ] as const)('is rejected: %j', ([patch, message]) => {
    const error = { code: 400, reason: 'BadRequest', message }
    expect(thrownBy(() => applyServerMergePatch({}, patch))).toMatchObject(error)
  })
})
