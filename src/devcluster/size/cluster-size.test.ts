import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import { InvalidInput } from '@machinist/core/errors'
import { validateGrowth, parseSize, plannedNodes, formatSize, defaultSize } from './cluster-size.ts'

const sizeOf = (text: string): Record<string, number> => Object.fromEntries(parseSize(text))

describe('--nodes', () => {
  it('counts control plane, workers, and custom pools', () => {
    expect(sizeOf('3,4,infra=2')).toEqual({ master: 3, worker: 4, infra: 2 })
    expect(sizeOf('1')).toEqual({ master: 1, worker: 0 })
    expect(sizeOf('1, 2')).toEqual({ master: 1, worker: 2 })
    expect(sizeOf('worker=5')).toEqual({ master: 1, worker: 5 })
    expect(sizeOf('gpu=1,3')).toEqual({ master: 3, worker: 0, gpu: 1 })
    expect(sizeOf('master=3,2')).toEqual({ master: 3, worker: 2 })
  })

  it.each([
    ['', /"" is not a number of nodes: use a list such as 3,4,infra=2/],
    ['many', /"many" is not a number of nodes/],
    ['3,4,5', /"5" is not a number of nodes/],
    ['-1', /"-1" is not a number of nodes/],
    ['3,4,Infra=2', /"Infra" is not a valid pool name: use lower case letters/],
    ['3,../x=2', /is not a valid pool name/],
    ['0,4', /at least one control plane node/],
    ['3,400', /403 nodes are too many, the maximum is 100/],
    ['3,worker=1,worker=2', /pool worker is given twice/],
    ['3,arbiter=1', /arbiters are not simulated/],
  ])('of %j is a clear error', (text, message) => {
    expect(() => parseSize(text)).toThrow(InvalidInput)
    expect(() => parseSize(text)).toThrow(message)
  })

  it('is stored in a form that can be parsed', () => {
    expect(formatSize(defaultSize)).toBe('master=3,worker=4,infra=2')
    const pool = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/).filter((name) => name !== 'arbiter')
    fc.assert(
      fc.property(fc.dictionary(pool, fc.nat(5), { maxKeys: 5 }), (custom) => {
        const size = new Map([...defaultSize, ...Object.entries(custom)])
        if (size.get('master') === 0) return
        expect(parseSize(formatSize(size))).toEqual(size)
      }),
      { numRuns: 100 },
    )
  })

  it('throws only InvalidInput', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(thrownBy(() => parseSize(text)) ?? new InvalidInput('')).toBeInstanceOf(InvalidInput)
      }),
      { numRuns: 200 },
    )
  })
})

describe('nodes', () => {
  it('have the same names at every start', () => {
    expect(plannedNodes(parseSize('1,2,gpu=1')).map(({ name }) => name)).toEqual([
      'master-0',
      'worker-0',
      'worker-1',
      'gpu-0',
    ])
  })

  it('have an address each', () => {
    const addresses = plannedNodes(defaultSize).map(({ address }) => address)
    expect(addresses.slice(0, 4)).toEqual(['198.18.0.1', '198.18.0.2', '198.18.0.3', '198.18.1.1'])
    expect(new Set(addresses).size).toBe(9)
  })

  it('can be added, not removed', () => {
    const before = parseSize('1,2')
    expect(validateGrowth(before, parseSize('3,2,gpu=1'), 'data')).toEqual(parseSize('3,2,gpu=1'))
    expect(() => validateGrowth(before, parseSize('1,1'), 'data')).toThrow(
      'data contains a cluster of master=1,worker=2, and --nodes requests fewer worker nodes: use another --data, or remove that directory',
    )
  })
})
