import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '@machinist/core/resource'
import { withoutManagedFields } from '@machinist/core/resource'
import { deepFreeze } from './admission.ts'

describe('withoutManagedFields', () => {
  it('leaves out managedFields and nothing else, without touching what it was given', () => {
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

  it('copies nothing when there is nothing to leave out', () => {
    const object: KubeObject = { metadata: { name: 'a' } }
    expect(withoutManagedFields(object)).toBe(object)
  })
})

describe('deepFreeze', () => {
  it('freezes every level and changes nothing', () => {
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
