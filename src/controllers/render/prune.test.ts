import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { RenderCaches } from './caches.ts'
import { outdatedConfigs, prunableConfigs, releasedConfigs } from './prune.ts'

const rendered = (name: string, day: number): MachineConfig => ({
  metadata: { name, creationTimestamp: `2026-01-${String(day).padStart(2, '0')}T00:00:00Z` },
})
const namesOf = (all: MachineConfig[]): string[] => all.map(({ metadata }) => metadata.name)
const unused = (): boolean => false

describe('old rendered configs', () => {
  const five = [
    rendered('c', 3),
    rendered('a', 1),
    rendered('e', 5),
    rendered('b', 2),
    rendered('d', 4),
  ]

  it('are all except the newest', () => {
    expect(namesOf(outdatedConfigs(five, 2, unused))).toEqual(['c', 'b', 'a'])
    expect(outdatedConfigs(five, 10, unused)).toEqual([])
  })

  it('stay while they are in use, in addition to the newest', () => {
    expect(namesOf(outdatedConfigs(five, 2, (name) => name === 'b'))).toEqual(['c', 'a'])
  })

  it('are not deleted twice', () => {
    const [first] = five
    const leaving = { metadata: { ...first!.metadata, deletionTimestamp: '2026-02-01T00:00:00Z' } }
    expect(outdatedConfigs([leaving], 0, unused)).toEqual([])
  })

  it('never include configs in use, and never too many', () => {
    const day = fc.integer({ min: 1, max: 28 })
    fc.assert(
      fc.property(fc.array(day, { maxLength: 20 }), fc.nat(12), fc.nat(5), (days, keep, every) => {
        const all = days.map((one, i) => rendered(`r-${i}`, one))
        const isReferenced = (name: string): boolean => Number(name.slice(2)) % (every + 1) === 0
        const old = outdatedConfigs(all, keep, isReferenced)
        expect(old.some(({ metadata }) => isReferenced(metadata.name))).toBe(false)
        expect(all.length - old.length).toBeGreaterThanOrEqual(Math.min(keep, all.length))
      }),
      { numRuns: 100 },
    )
  })
})

describe('rendered configs of another controller', () => {
  const generatedBy = 'machineconfiguration.openshift.io/generated-by-controller-version'
  const of = (name: string, by: string): MachineConfig => ({
    metadata: {
      ...rendered(name, 1).metadata,
      annotations: { [generatedBy]: by },
      ownerReferences: [
        { apiVersion: 'v1', kind: 'MachineConfigPool', name: 'worker', uid: 'u', controller: true },
      ],
    },
  })
  const pool = { metadata: { name: 'worker' }, spec: {} }
  const cachesWith = (...configs: readonly MachineConfig[]): RenderCaches => {
    const empty = { list: () => [], byIndex: () => [], get: () => undefined }
    const machineConfigs = { ...empty, byIndex: () => [...configs] }
    return {
      pools: empty,
      nodes: empty,
      machineConfigNodes: empty,
      machineConfigs,
    } as unknown as RenderCaches
  }

  it('are neither pruned nor released with their pool', () => {
    const commit = '5b1f0b4a6ac05bb0ee5a3f35ec2d0d9bfda9a0a6'
    const caches = cachesWith(of('theirs', commit), of('ours', 'machinist-1.2.3'))
    expect(namesOf(prunableConfigs(pool, caches, 0))).toEqual(['ours'])
    expect(namesOf(releasedConfigs('worker', caches))).toEqual(['ours'])
  })
})
