import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '@machinist/core/objects/resource'
import { withoutManagedFields } from '@machinist/core/objects/resource'
import { deepFreeze } from './deep-freeze.ts'

describe('withoutManagedFields', () => {
  it('removes only managedFields, without modifying the input', () => {
    const object: KubeObject = {
      kind: 'Node',
      metadata: { name: 'a', labels: { x: 'y' }, managedFields: [{ manager: 'kubectl' }] },
    }
    expect(withoutManagedFields(object)).toEqual({
      kind: 'Node',
      metadata: { name: 'a', labels: { x: 'y' } },
    })
    expect(object.metadata.managedFields).toHaveLength(1)
  })

  it('returns the input if there are no managedFields', () => {
    const object: KubeObject = { metadata: { name: 'a' } }
    expect(withoutManagedFields(object)).toBe(object)
  })
})

describe('deepFreeze', () => {
  it('freezes every level without changes', () => {
    const isFrozenThrough = (value: unknown): boolean =>
      typeof value !== 'object' ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(isFrozenThrough))
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const before = JSON.stringify(value)
        const frozen = deepFreeze(value)
        expect(frozen).toBe(value)
        expect(isFrozenThrough(frozen)).toBe(true)
        expect(JSON.stringify(frozen)).toBe(before)
      }),
    )
  })
})
