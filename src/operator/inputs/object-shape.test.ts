import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clusterShapes } from './cluster-shapes.ts'
import { shapeProblem } from './object-shape.ts'

describe('the shape of an object', () => {
  it.each([
    [{}, undefined],
    [{ spec: null, status: { other: 1 } }, undefined],
    [{ spec: { serviceNetwork: ['a'], networkType: 'b' } }, undefined],
    [[], 'the value must be an object'],
    ['text', 'the value must be an object'],
    [{ spec: 'text' }, 'spec must be an object'],
    [{ spec: { serviceNetwork: 'a' } }, 'spec.serviceNetwork must be a list of strings'],
    [{ spec: { serviceNetwork: ['a', 1] } }, 'spec.serviceNetwork must be a list of strings'],
    [{ spec: { networkType: 1 } }, 'spec.networkType must be a string'],
    [
      { status: { migration: { mtu: { network: { from: -1 } } } } },
      'status.migration.mtu.network.from must be an integer, 0 or more',
    ],
  ])('%j: %s', (value, wrong) => {
    expect(shapeProblem(value, clusterShapes.network)).toBe(wrong)
  })

  it('is checked without exceptions for any value', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom(...Object.values(clusterShapes)),
        (value, shape) => {
          expect(typeof (shapeProblem(value, shape) ?? '')).toBe('string')
        },
      ),
      { numRuns: 300 },
    )
  })
})
