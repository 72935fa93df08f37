import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MachineConfigNodeStatus } from '../../api/kinds/machine-config-node.ts'
import type { SetVersion } from '../../api/pinned-images.ts'
import { pinnedDigest } from '../../api/pinned-images.ts'
import type { MachineConfigPool } from '../../api/resources.ts'
import type { Node } from '@machinist/kube/kinds/core'
import { judge, toldIn, wantedOf } from './judge.ts'
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
const told = (generation: number, uid = 'u1'): MachineConfigNodeStatus => ({
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
  it('counts as things change, and tells for whom', () => {
    const tally = new PinnedTally()
    tally.putPool(pool('worker'))
    tally.want('worker', wants(1))
    expect(tally.putNode(node('n1', 'worker'))).toEqual(new Set(['worker']))
    expect(tally.putNode(node('n2', 'worker', true))).toEqual(new Set(['worker']))
    expect(tally.putNode(node('n3', 'nobody'))).toEqual(new Set())
    expect(tally.tell('n1', told(1))).toEqual(new Set(['worker']))
    expect(tally.tell('n1', told(1))).toEqual(new Set())
    expect(tally.tell('n2', told(1))).toEqual(new Set(['worker']))
    expect(tally.counts('worker')).toEqual({
      machine: 2,
      updated: 2,
      ready: 1,
      unavailable: 1,
      failed: 0,
    })
    expect(tally.putNode(node('n2', 'worker'))).toEqual(new Set(['worker']))
    expect(tally.counts('worker')).toMatchObject({ ready: 2, unavailable: 0 })
    tally.want('worker', wants(2))
    expect(tally.counts('worker')).toMatchObject({ machine: 2, updated: 0, ready: 0 })
    tally.tell('n1', undefined)
    expect(tally.removeNode('n1')).toEqual(new Set(['worker']))
    expect(tally.counts('worker')).toMatchObject({ machine: 1 })
  })

  it('knows what a node told before anybody knew of the node', () => {
    const tally = new PinnedTally()
    expect(tally.tell('n1', told(1))).toEqual(new Set())
    tally.want('worker', wants(1))
    tally.putNode(node('n1', 'worker'))
    expect(tally.putPool(pool('worker'))).toEqual(new Set(['worker']))
    expect(tally.counts('worker')).toMatchObject({ machine: 1, updated: 1 })
    expect(tally.removePool('worker')).toEqual(new Set(['worker']))
    expect(tally.counts('worker')).toMatchObject({ machine: 0, updated: 0 })
  })

  it('goes by generations where a daemon is at work that does not tell which sets it means', () => {
    const tally = new PinnedTally()
    tally.putPool(pool('worker'))
    tally.putNode(node('n1', 'worker'))
    tally.want('worker', wants(2))
    const { pinnedImageSets } = told(2)
    tally.tell('n1', { pinnedImageSets })
    expect(tally.counts('worker')).toMatchObject({ updated: 1 })
    // One before it did, and this one closes all that it does not know when an update is over.
    const type = 'machinist.dev/PinnedImageSetsSeen'
    const message = `Action during update to rendered-worker-1: ${pinnedDigest(wants(1))}`
    tally.tell('n1', { pinnedImageSets, conditions: [{ type, status: 'False', message }] })
    expect(tally.counts('worker')).toMatchObject({ updated: 1 })
  })

  it('does not take a set that was made anew for the one before it', () => {
    const tally = new PinnedTally()
    tally.putPool(pool('worker'))
    tally.putNode(node('n1', 'worker'))
    tally.want('worker', wants(1))
    tally.tell('n1', told(1))
    expect(tally.counts('worker')).toMatchObject({ updated: 1, ready: 1 })
    tally.want('worker', wants(1, 'u2'))
    expect(tally.counts('worker')).toMatchObject({ updated: 0, ready: 0 })
    expect(tally.tell('n1', told(1, 'u2'))).toEqual(new Set(['worker']))
    expect(tally.counts('worker')).toMatchObject({ updated: 1, ready: 1 })
  })

  it('comes to the same as counting everything anew', () => {
    const name = fc.constantFrom('n1', 'n2', 'n3', 'n4')
    const of = fc.constantFrom('worker', 'infra', 'nobody')
    const generation = fc.integer({ min: 1, max: 2 })
    const step = fc.oneof(
      fc.record({ do: fc.constant('node' as const), name, of, away: fc.boolean() }),
      fc.record({ do: fc.constant('gone' as const), name }),
      fc.record({ do: fc.constant('tell' as const), name, generation: fc.option(generation) }),
      fc.record({ do: fc.constant('want' as const), of, generation }),
      fc.record({ do: fc.constant('pool' as const), of, selects: of }),
      fc.record({ do: fc.constant('no pool' as const), of }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const tally = new PinnedTally()
        const nodes = new Map<string, { of: string; away: boolean }>()
        const said = new Map<string, number>()
        const wanted = new Map<string, SetVersion[]>()
        const pools = new Map<string, string>()
        for (const each of steps) {
          if (each.do === 'node') {
            nodes.set(each.name, each)
            tally.putNode(node(each.name, each.of, each.away))
          } else if (each.do === 'gone') {
            nodes.delete(each.name)
            tally.removeNode(each.name)
          } else if (each.do === 'tell') {
            if (each.generation === null) said.delete(each.name)
            else said.set(each.name, each.generation)
            tally.tell(each.name, each.generation === null ? undefined : told(each.generation))
          } else if (each.do === 'want') {
            wanted.set(each.of, wants(each.generation))
            tally.want(each.of, wants(each.generation))
          } else if (each.do === 'pool') {
            pools.set(each.of, each.selects)
            tally.putPool(pool(each.of, each.selects))
          } else {
            pools.delete(each.of)
            wanted.delete(each.of)
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
              const generation = said.get(member)
              const status = generation === undefined ? undefined : told(generation)
              return { away, is: judge(wantedOf(wanted.get(at) ?? []), toldIn(status)) }
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
