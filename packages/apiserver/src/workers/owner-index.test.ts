import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { OwnerIndex } from './owner-index.ts'

const owned = (uid: string, ...owners: string[]): Parameters<OwnerIndex['set']>[1] => ({
  uid,
  ownerReferences: owners.map((owner) => ({ apiVersion: 'v1', kind: 'X', name: 'x', uid: owner })),
})

describe('OwnerIndex', () => {
  it('finds owners and dependents', () => {
    const index = new OwnerIndex()
    index.set('/a', owned('a'))
    index.set('/b', owned('b', 'a'))
    expect(index.dependentsOf('a')).toEqual(['/b'])
    expect(index.keyOf('a')).toBe('/a')
    index.set('/b', owned('b', 'c'))
    expect(index.dependentsOf('a')).toEqual([])
    expect(index.missingOwners()).toEqual(['c'])
    index.delete('/b')
    expect(index.missingOwners()).toEqual([])
  })

  it('keeps a new object of the same name', () => {
    const index = new OwnerIndex()
    index.set('/a', owned('old'))
    index.set('/a', owned('new'))
    expect(index.has('old')).toBe(false)
    expect(index.has('new')).toBe(true)
  })

  it('agrees with a full scan', () => {
    const uid = fc.constantFrom('a', 'b', 'c')
    const step = fc.record({ key: uid, owners: fc.uniqueArray(uid), gone: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const index = new OwnerIndex()
        const all = new Map<string, string[]>()
        for (const { key, owners, gone } of steps) {
          if (gone) {
            index.delete(key)
            all.delete(key)
          } else {
            index.set(key, owned(`uid-${key}`, ...owners))
            all.set(key, owners)
          }
        }
        for (const owner of ['a', 'b', 'c']) {
          const expected = [...all].filter(([, owners]) => owners.includes(owner))
          expect(index.dependentsOf(owner).sort()).toEqual(expected.map(([key]) => key).sort())
        }
      }),
      { numRuns: 200 },
    )
  })
})
