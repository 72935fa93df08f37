import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Node } from '@machinist/kube/kinds/core'
import type { MachineConfigNodeStatus } from '../../api/kinds/machine-config-node.ts'
import type { PinnedImageSetVersion } from '../../api/pinned-images.ts'
import { pinnedDigest } from '../../api/pinned-images.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { pinnedStateOf, reportedSetsOf, desiredSetsOf } from './node-state.ts'
import { PinnedTally } from './tally.ts'

const domain = 'machineconfiguration.openshift.io'
const node = (name: string, pool: string, unschedulable = false): Node => ({
  metadata: {
    name,
    labels: { pool },
    annotations: {
      [`${domain}/currentConfig`]: 'x',
      [`${domain}/desiredConfig`]: 'x',
      [`${domain}/state`]: 'Done',
    },
  },
  spec: { unschedulable },
})
const pool = (name: string, selects = name): MachineConfigPool => ({
  metadata: { name },
  spec: { nodeSelector: { matchLabels: { pool: selects } } },
})
const wants = (generation: number, uid = 'u1') => [{ name: 'a', uid, generation }]
const reported = (generation: number, uid = 'u1'): MachineConfigNodeStatus => ({
  pinnedImageSets: [{ name: 'a', desiredGeneration: generation, currentGeneration: generation }],
  conditions: [
    {
      type: 'machinist.dev/PinnedImageSetsSeen',
      status: 'True',
      message: pinnedDigest(wants(generation, uid)),
    },
  ],
})

describe('the tally of pinned images', () => {
  it('counts incrementally and returns the affected pools', () => {
    const tally = new PinnedTally()
    tally.putPool(pool('worker'))
    tally.setDesired('worker', wants(1))
    expect(tally.putNode(node('n1', 'worker'))).toEqual(new Set(['worker']))
    expect(tally.putNode(node('n2', 'worker', true))).toEqual(new Set(['worker']))
    expect(tally.putNode(node('n3', 'no-pool'))).toEqual(new Set())
    expect(tally.setReport('n1', reported(1))).toEqual(new Set(['worker']))
    expect(tally.setReport('n1', reported(1))).toEqual(new Set())
    expect(tally.setReport('n2', reported(1))).toEqual(new Set(['worker']))
    expect(tally.counts('worker')).toEqual({
      machine: 2,
      updated: 2,
      ready: 1,
      unavailable: 1,
      failed: 0,
    })
    expect(tally.putNode(node('n2', 'worker'))).toEqual(new Set(['worker']))
    expect(tally.counts('worker')).toMatchObject({ ready: 2, unavailable: 0 })
    tally.setDesired('worker', wants(2))
    expect(tally.counts('worker')).toMatchObject({ machine: 2, updated: 0, ready: 0 })
    tally.setReport('n1', undefined)
    expect(tally.removeNode('n1')).toEqual(new Set(['worker']))
    expect(tally.counts('worker')).toMatchObject({ machine: 1 })
  })

  it('keeps a report that arrives before its Node', () => {
    const tally = new PinnedTally()
    expect(tally.setReport('n1', reported(1))).toEqual(new Set())
    tally.setDesired('worker', wants(1))
    tally.putNode(node('n1', 'worker'))
    expect(tally.putPool(pool('worker'))).toEqual(new Set(['worker']))
    expect(tally.counts('worker')).toMatchObject({ machine: 1, updated: 1 })
    expect(tally.removePool('worker')).toEqual(new Set(['worker']))
    expect(tally.counts('worker')).toMatchObject({ machine: 0, updated: 0 })
  })

  it('compares generations if the daemon reports no digest', () => {
    const tally = new PinnedTally()
    tally.putPool(pool('worker'))
    tally.putNode(node('n1', 'worker'))
    tally.setDesired('worker', wants(2))
    const { pinnedImageSets } = reported(2)
    tally.setReport('n1', { pinnedImageSets })
    expect(tally.counts('worker')).toMatchObject({ updated: 1 })
    // Machinist's daemon reported one before; MCO's daemon resets unknown conditions after an update.
    const type = 'machinist.dev/PinnedImageSetsSeen'
    const message = `Action during update to rendered-worker-1: ${pinnedDigest(wants(1))}`
    tally.setReport('n1', { pinnedImageSets, conditions: [{ type, status: 'False', message }] })
    expect(tally.counts('worker')).toMatchObject({ updated: 1 })
  })

  it('distinguishes a recreated set from the former one', () => {
    const tally = new PinnedTally()
    tally.putPool(pool('worker'))
    tally.putNode(node('n1', 'worker'))
    tally.setDesired('worker', wants(1))
    tally.setReport('n1', reported(1))
    expect(tally.counts('worker')).toMatchObject({ updated: 1, ready: 1 })
    tally.setDesired('worker', wants(1, 'u2'))
    expect(tally.counts('worker')).toMatchObject({ updated: 0, ready: 0 })
    expect(tally.setReport('n1', reported(1, 'u2'))).toEqual(new Set(['worker']))
    expect(tally.counts('worker')).toMatchObject({ updated: 1, ready: 1 })
  })

  it('equals a count from scratch', () => {
    const name = fc.constantFrom('n1', 'n2', 'n3', 'n4')
    const of = fc.constantFrom('worker', 'infra', 'no-pool')
    const generation = fc.integer({ min: 1, max: 2 })
    const step = fc.oneof(
      fc.record({ action: fc.constant('node' as const), name, of, away: fc.boolean() }),
      fc.record({ action: fc.constant('remove' as const), name }),
      fc.record({
        action: fc.constant('report' as const),
        name,
        generation: fc.option(generation),
      }),
      fc.record({ action: fc.constant('desire' as const), of, generation }),
      fc.record({ action: fc.constant('pool' as const), of, selects: of }),
      fc.record({ action: fc.constant('no pool' as const), of }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const tally = new PinnedTally()
        const nodes = new Map<string, { of: string; away: boolean }>()
        const reports = new Map<string, number>()
        const desired = new Map<string, PinnedImageSetVersion[]>()
        const pools = new Map<string, string>()
        for (const each of steps) {
          if (each.action === 'node') {
            nodes.set(each.name, each)
            tally.putNode(node(each.name, each.of, each.away))
          } else if (each.action === 'remove') {
            nodes.delete(each.name)
            tally.removeNode(each.name)
          } else if (each.action === 'report') {
            if (each.generation === null) reports.delete(each.name)
            else reports.set(each.name, each.generation)
            tally.setReport(
              each.name,
              each.generation === null ? undefined : reported(each.generation),
            )
          } else if (each.action === 'desire') {
            desired.set(each.of, wants(each.generation))
            tally.setDesired(each.of, wants(each.generation))
          } else if (each.action === 'pool') {
            pools.set(each.of, each.selects)
            tally.putPool(pool(each.of, each.selects))
          } else {
            pools.delete(each.of)
            desired.delete(each.of)
            tally.removePool(each.of)
          }
          for (const at of ['worker', 'infra']) {
            const custom = (label: string): string[] =>
              [...pools]
                .filter(([to, selects]) => to !== 'worker' && selects === label)
                .map(([to]) => to)
            const members = [...nodes].filter(([, { of: label }]) => {
              const [first, ...others] = custom(label)
              if (others.length > 0) return false
              return first === undefined
                ? at === 'worker' && pools.get('worker') === label
                : first === at
            })
            const held = members.map(([member, { away }]) => {
              const generation = reports.get(member)
              const status = generation === undefined ? undefined : reported(generation)
              return {
                away,
                is: pinnedStateOf(desiredSetsOf(desired.get(at) ?? []), reportedSetsOf(status)),
              }
            })
            expect(tally.counts(at)).toEqual({
              machine: members.length,
              updated: held.filter(({ is }) => is === 'updated').length,
              ready: held.filter(({ is, away }) => is === 'updated' && !away).length,
              unavailable: held.filter(({ away }) => away).length,
              failed: 0,
            })
          }
        }
      }),
      { numRuns: 100 },
    )
  })
})
