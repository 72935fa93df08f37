import { describe, expect, it } from 'vitest'
import type { MachineConfigPool, PinnedImageSet } from '../../api/kinds/resources.ts'
import { setsOf } from './select.ts'

const role = 'machineconfiguration.openshift.io/role'
const set = (name: string, of: string, more = {}): PinnedImageSet => ({
  metadata: { name, labels: { [role]: of }, ...more },
  spec: { pinnedImages: [] },
})
const pool = (
  machineConfigSelector: MachineConfigPool['spec']['machineConfigSelector'],
): MachineConfigPool => ({
  metadata: { name: 'p' },
  spec: machineConfigSelector ? { machineConfigSelector } : {},
})
const labelled = (of: string): MachineConfigPool => pool({ matchLabels: { [role]: of } })
const infra = pool({
  matchExpressions: [{ key: role, operator: 'In', values: ['worker', 'infra'] }],
})
const all = [set('worker-set', 'worker'), set('master-set', 'master'), set('infra-set', 'infra')]
const names = (of: MachineConfigPool, sets = all): unknown => {
  const selection = setsOf(of, sets)
  return 'sets' in selection ? selection.sets.map(({ metadata }) => metadata.name) : selection
}

describe('the image sets of a pool', () => {
  it('are those that its machineConfigSelector selects, by name', () => {
    expect(names(labelled('master'))).toEqual(['master-set'])
    expect(names(labelled('worker'))).toEqual(['worker-set'])
    expect(names(infra)).toEqual(['infra-set', 'worker-set'])
    expect(names(labelled('gpu'))).toEqual([])
    expect(names(labelled('master'), [])).toEqual([])
  })

  it('are none without a selector, or with an empty one', () => {
    expect(names(pool(undefined))).toEqual([])
    expect(names(pool({}))).toEqual([])
  })

  it('do not include sets that are being deleted', () => {
    const going = set('going', 'worker', { deletionTimestamp: '2026-01-01T00:00:00Z' })
    expect(names(labelled('worker'), [...all, going])).toEqual(['worker-set'])
  })

  it('are a problem if the selector is invalid or selects too many', () => {
    const odd = pool({ matchExpressions: [{ key: role, operator: 'Near', values: [] }] })
    expect(names(odd)).toEqual({
      problem: `its machineConfigSelector is invalid: label selector: ${role}: Near is not one of In, NotIn, Exists, DoesNotExist`,
    })
    const many = Array.from({ length: 101 }, (_, at) => set(`set-${at}`, 'worker'))
    expect(names(labelled('worker'), many)).toEqual({
      problem:
        'its machineConfigSelector selects 101 PinnedImageSets, and at most 100 are allowed: put images into fewer sets',
    })
    expect(names(labelled('worker'), many.slice(1))).toHaveLength(100)
  })
})
