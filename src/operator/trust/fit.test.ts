import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TrustField, TrustFields } from './facts/fields.ts'
import { fitFields, largestSpec } from './fit.ts'

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

describe('fields that fit into one object', () => {
  it('are the most important first', () => {
    const desired = { ...none, additionalTrustBundle: size(900_000), rootCAData: size(900_000) }
    const { fields, tooLarge } = fitFields(desired, none, order, 0)
    expect([...tooLarge]).toEqual(['additionalTrustBundle'])
    expect(fields).toEqual({ ...none, rootCAData: size(900_000) })
  })

  it('use the space that another field frees in the same write', () => {
    const before = { ...none, additionalTrustBundle: size(900_000) }
    const desired = { ...none, rootCAData: size(900_000), additionalTrustBundle: size(10) }
    expect(fitFields(desired, before, order, 0)).toEqual({ fields: desired, tooLarge: new Set() })
  })

  it('can always shrink', () => {
    const before = { ...none, rootCAData: size(2_000_000) }
    const desired = { ...none, rootCAData: size(1_900_000) }
    expect(fitFields(desired, before, order, 0).fields).toEqual(desired)
  })

  it('include the fields of other writers in the size', () => {
    const desired = { ...none, rootCAData: size(100_000) }
    expect([...fitFields(desired, none, order, 1_150_000).tooLarge]).toEqual(['rootCAData'])
  })

  it('never exceed the maximum, unless they did before', () => {
    const length = fc.nat(600_000)
    fc.assert(
      fc.property(fc.array(length, { minLength: 5, maxLength: 5 }), length, (sizes, others) => {
        const some = order.slice(0, 5).map((field, index) => [field, size(sizes[index]!)])
        const desired = { ...none, ...(Object.fromEntries(some) as Partial<TrustFields>) }
        const { fields } = fitFields(desired, none, order, others)
        const total = JSON.stringify(Object.values(fields)).length + others
        expect(total).toBeLessThan(largestSpec + 100)
      }),
      { numRuns: 30 },
    )
  })
})
