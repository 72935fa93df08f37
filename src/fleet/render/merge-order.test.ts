import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { inMergeOrder } from './merge-order.ts'

const of = (name: string, role?: string): MachineConfig => ({
  metadata: {
    name,
    ...(role !== undefined && { labels: { 'machineconfiguration.openshift.io/role': role } }),
  },
})
const namesIn = (machineConfigs: MachineConfig[], release?: '4.12' | '4.16'): string[] =>
  inMergeOrder(machineConfigs, release).map(({ metadata }) => metadata.name)

describe('the order of MachineConfigs', () => {
  const four = [of('ddd', 'worker'), of('ccc', 'infra'), of('bbb', 'worker'), of('aaa', 'worker')]

  it('has those of the worker role first, each group by name', () => {
    expect(namesIn(four)).toEqual(['aaa', 'bbb', 'ddd', 'ccc'])
    expect(namesIn(four, '4.16')).toEqual(['aaa', 'bbb', 'ddd', 'ccc'])
  })

  it('is by name only in 4.12', () => {
    expect(namesIn(four, '4.12')).toEqual(['aaa', 'bbb', 'ccc', 'ddd'])
  })

  it('is by code units; configs without a role count as not worker', () => {
    expect(
      namesIn([of('b'), of('a-1', 'worker'), of('a.1', 'worker'), of('B'), of('10'), of('9')]),
    ).toEqual(['a-1', 'a.1', '10', '9', 'B', 'b'])
  })

  it('is stable, independent of the input order, and complete', () => {
    expect(
      inMergeOrder([of('x', '1'), of('x', '2')]).map(({ metadata }) => metadata.labels),
    ).toEqual([
      { 'machineconfiguration.openshift.io/role': '1' },
      { 'machineconfiguration.openshift.io/role': '2' },
    ])
    const some = fc
      .uniqueArray(fc.string(), { maxLength: 12 })
      .map((all) => all.map((name, i) => of(name, i % 3 === 0 ? 'worker' : 'infra')))
    fc.assert(
      fc.property(some, (machineConfigs) => {
        expect(namesIn(machineConfigs.toReversed())).toEqual(namesIn(machineConfigs))
        expect(namesIn(machineConfigs).toSorted()).toEqual(
          machineConfigs.map(({ metadata }) => metadata.name).toSorted(),
        )
      }),
      { numRuns: 100 },
    )
  })
})
