import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TrustField, TrustFields } from './fields.ts'
import { fitted, largestSpec } from './fit.ts'

const none: TrustFields = {
  kubeAPIServerServingCAData: null,
  rootCAData: null,
  cloudProviderCAData: null,
  internalRegistryPullSecret: null,
  additionalTrustBundle: null,
  imageRegistryBundleData: [],
  imageRegistryBundleUserData: [],
}
const order = Object.keys(none) as TrustField[]
const size = (bytes: number): string => 'x'.repeat(bytes)

describe('what fits into one object', () => {
  it('is the most important first', () => {
    const wanted = { ...none, additionalTrustBundle: size(900_000), rootCAData: size(900_000) }
    const { fields, tooLarge } = fitted(wanted, none, order, 0)
    expect([...tooLarge]).toEqual(['additionalTrustBundle'])
    expect(fields).toEqual({ ...none, rootCAData: size(900_000) })
  })

  it('makes use of the room that another gives up in the same moment', () => {
    const before = { ...none, additionalTrustBundle: size(900_000) }
    const wanted = { ...none, rootCAData: size(900_000), additionalTrustBundle: size(10) }
    expect(fitted(wanted, before, order, 0)).toEqual({ fields: wanted, tooLarge: new Set() })
  })

  it('never keeps from becoming smaller what is too large already', () => {
    const before = { ...none, rootCAData: size(2_000_000) }
    const wanted = { ...none, rootCAData: size(1_900_000) }
    expect(fitted(wanted, before, order, 0).fields).toEqual(wanted)
  })

  it('counts what others have in there', () => {
    const wanted = { ...none, rootCAData: size(100_000) }
    expect([...fitted(wanted, none, order, 1_150_000).tooLarge]).toEqual(['rootCAData'])
  })

  it('is never more than the object can hold, unless it was before', () => {
    const length = fc.nat(600_000)
    fc.assert(
      fc.property(fc.array(length, { minLength: 5, maxLength: 5 }), length, (sizes, others) => {
        const some = order.slice(0, 5).map((field, index) => [field, size(sizes[index]!)])
        const wanted = { ...none, ...(Object.fromEntries(some) as Partial<TrustFields>) }
        const { fields } = fitted(wanted, none, order, others)
        const total = JSON.stringify(Object.values(fields)).length + others
        expect(total).toBeLessThan(largestSpec + 100)
      }),
      { numRuns: 30 },
    )
  })
})
