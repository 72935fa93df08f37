import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clusterShapes } from './cluster-shapes.ts'
import { misshapen } from './object-shape.ts'

describe('the shape of an object', () => {
  it.each([
    [{}, undefined],
    [{ spec: null, status: { other: 1 } }, undefined],
    [{ spec: { serviceNetwork: ['a'], networkType: 'b' } }, undefined],
    [[], 'it must be an object'],
    ['text', 'it must be an object'],
    [{ spec: 'text' }, 'spec must be an object'],
    [{ spec: { serviceNetwork: 'a' } }, 'spec.serviceNetwork must be a list of texts'],
    [{ spec: { serviceNetwork: ['a', 1] } }, 'spec.serviceNetwork must be a list of texts'],
    [{ spec: { networkType: 1 } }, 'spec.networkType must be text'],
    [
      { status: { migration: { mtu: { network: { from: -1 } } } } },
      'status.migration.mtu.network.from must be a whole number, 0 or more',
    ],
  ])('%j: %s', (value, wrong) => {
    expect(misshapen(value, clusterShapes.network)).toBe(wrong)
  })

  it('is judged whatever somebody wrote', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom(...Object.values(clusterShapes)),
        (value, shape) => {
          expect(typeof (misshapen(value, shape) ?? '')).toBe('string')
        },
      ),
      { numRuns: 300 },
    )
  })
})
