import { describe, expect, it } from 'vitest'
import type { PoolSketch } from '../../fleet/pools/pool.fixture.ts'
import type { NodeSketch } from '../../fleet/rollout/scene.fixture.ts'
import { at, facts } from '../../fleet/rollout/scene.fixture.ts'
import { explainNode, explainPool } from '../../fleet/rollout/explain.ts'
import type { RolloutFacts } from '../../fleet/rollout/facts.ts'
import { decide } from './decide.ts'

function chosenOf(pool: PoolSketch, nodes: readonly NodeSketch[], more?: Partial<RolloutFacts>) {
  const { chosen, others, capacity } = decide(facts(pool, nodes, more))
  const numbers = (list: readonly { name: string }[]): number[] =>
    list.map(({ name }) => Number(name.slice('node-'.length)))
  return [numbers(chosen), numbers(others), capacity]
}

const F = { ready: false }
const bad = { state: 'Degraded' }

/** All nodes have the same age and zone here, so their names decide. */
describe('candidates for V1', () => {
  it.each<[string, number, NodeSketch[], number[], number[], number]>([
    ['all updated', 1, [at('V1'), at('V1'), at('V1')], [], [], 1],
    ['one updated, not ready', 1, [at('V1'), at('V1'), at('V1', 'V1', F)], [], [], 0],
    [
      'one not ready, one being updated',
      1,
      [at('V1'), at('V1', 'V1', F), at('V0', 'V1')],
      [],
      [],
      0,
    ],
    ['one of two not ready', 2, [at('V0', 'V0', F), at('V0'), at('V0')], [1], [2], 1],
    [
      'two of three in use',
      3,
      [at('V1'), at('V1', 'V1', F), at('V0', 'V1'), at('V0'), at('V0')],
      [3],
      [4],
      1,
    ],
    ['one targeted', 1, [at('V1'), at('V1'), at('V0', 'V1'), at('V0'), at('V0')], [], [], 0],
    // MCO lists node 2 as a candidate here; in Machinist the broken node uses the whole budget until it is repaired.
    ['one failed an older config', 1, [at('V1'), at('v0.1', 'v0.2', bad), at('V0')], [1], [], 1],
    ['one broken in its desired config', 1, [at('V1'), at('V1', 'V1', bad), at('V0')], [], [], 0],
    ['rolling back', 1, [at('V1'), at('V1'), at('V1', 'V2', bad), at('V1')], [2], [], 1],
    ['targeted at another config, not started', 1, [at('V1'), at('V1', 'V2'), at('V1')], [], [], 0],
    [
      'two of four in use',
      4,
      [
        at('V1'),
        at('V1', 'V1', F),
        at('V0', 'V1'),
        at('V0'),
        at('V0'),
        at('V0'),
        at('V0'),
        at('V1'),
        at('V1'),
      ],
      [3, 4],
      [5, 6],
      2,
    ],
  ])('%s, budget %i', (_, maxUnavailable, nodes, ...expected) => {
    expect(chosenOf({ maxUnavailable }, nodes)).toEqual(expected)
  })
})

describe('candidates of a layered pool for V1 and img1', () => {
  const built: Partial<RolloutFacts> = { image: { type: 'built', image: 'img1' } }
  const images = (current: string, desired = current): NodeSketch => ({
    currentImage: current,
    desiredImage: desired,
  })

  it('are chosen like others', () => {
    const updated = at('V1', 'V1', images('img1'))
    const waits = at('V0', 'V0', images('img0'))
    const nodes = [
      updated,
      { ...updated, ready: false },
      at('V0', 'V1', images('img0', 'img1')),
      { ...waits, ready: false },
      waits,
      waits,
      waits,
      updated,
      updated,
    ]
    expect(chosenOf({ maxUnavailable: 4 }, nodes, built)).toEqual([[4], [5, 6], 1])
  })

  it.each(['Done', 'Working'])('wait for a node with a new desiredImage that is %s', (state) => {
    const nodes = [at('V1', 'V1', { desiredImage: 'img1', state }), at('V1'), at('V1')]
    expect(chosenOf({ maxUnavailable: 1 }, nodes, built)).toEqual([[], [], 0])
  })

  it.each(['Done', 'Working'])('wait for a node that loses its image and is %s', (state) => {
    const nodes = [at('V1', 'V1', { currentImage: 'img1', state }), at('V1'), at('V1')]
    expect(chosenOf({ maxUnavailable: 1 }, nodes)).toEqual([[], [], 0])
  })

  it('wait for the build', () => {
    const image = { type: 'awaited', because: 'waiting', pausedBecause: 'is not built' } as const
    const plan = decide(facts({}, [at('V0'), at('V0')], { image }))
    expect([plan.chosen, plan.writes, plan.record]).toEqual([[], [], undefined])
    expect(explainPool(plan).at(-1)).toEqual({
      check: 'the OS image is built',
      passed: false,
      because: 'waiting',
    })
  })
})

describe('counters', () => {
  it.each<[string, NodeSketch[], string, number[]]>([
    ['V1', [at('V0'), at('V1'), at('V0', 'V1')], 'not layered', [1, 1, 1, 0]],
    ['V1', [at('V0', 'V1'), at('V1'), at('V1', 'V1', F)], 'not layered', [2, 1, 2, 0]],
    [
      'V0',
      [
        at('V0', 'V0', bad),
        at('V0'),
        at('V0', 'V0', { state: 'Unreconcilable' }),
        at('V0', 'V1', { state: 'Working' }),
        at('V0', 'V1', { state: 'Rebooting' }),
      ],
      'not layered',
      [1, 1, 4, 2],
    ],
    [
      'V1',
      [
        at('V1', 'V1', { currentImage: 'img1', desiredImage: 'img1' }),
        at('V1', 'V1', { currentImage: 'img1', desiredImage: 'img1' }),
        at('V0'),
      ],
      'built',
      [2, 2, 0, 0],
    ],
    ['V1', [at('V1'), at('V1'), at('V1')], 'awaited', [0, 0, 0, 0]],
    [
      'V1',
      [at('V1'), at('V1'), at('V0', 'V0', { currentImage: 'img1', desiredImage: 'img1' })],
      'not layered',
      [2, 2, 0, 0],
    ],
    [
      'V0',
      [
        at('V0', 'V0', { currentImage: 'img1', desiredImage: '' }),
        at('V0', 'V0', { currentImage: 'img1', desiredImage: 'img1' }),
        at('V0', 'V0', { currentImage: 'img1', desiredImage: 'img1' }),
      ],
      'not layered',
      [0, 0, 1, 0],
    ],
    [
      'V0',
      [
        at('V1', 'V0', { ...bad, currentImage: 'img1', desiredImage: 'img1' }),
        at('V1', 'V0', { state: 'Unreconcilable', currentImage: 'img1', desiredImage: 'img1' }),
      ],
      'built',
      [0, 0, 0, 2],
    ],
  ])('for %s: %j, %s', (target, nodes, type, expected) => {
    const image = { type, image: 'img1', because: '', pausedBecause: '' } as RolloutFacts['image']
    const { updated, ready, unavailable, degraded } = decide(facts({ target }, nodes, { image }))
      .situation.counts
    expect([updated, ready, unavailable, degraded]).toEqual(expected)
  })
})

describe('a broken node', () => {
  it('is repaired without budget, even if it is not ready and cordoned', () => {
    const broken = at('V0', 'V2', { ...bad, ready: false, cordoned: true })
    const nodes = [broken, at('V0', 'V0', F), broken, at('V0')]
    expect(chosenOf({ maxUnavailable: 1 }, nodes)).toEqual([[0, 2], [], 2])
  })

  describe('whose pods still run, in its desired config', () => {
    const drifted = at('V0', 'V0', bad)

    it('is repaired within the budget', () => {
      const nodes = [drifted, drifted, drifted, at('V0')]
      expect(chosenOf({ name: 'master' }, nodes)).toEqual([[0], [1, 2], 1])
      expect(chosenOf({ maxUnavailable: 2 }, nodes)).toEqual([[0, 1], [2], 2])
      expect(chosenOf({ maxUnavailable: 4 }, nodes)).toEqual([[0, 1, 2], [], 3])
      const annotations = { 'machinist.dev/allow-whole-pool-unavailable': 'true' }
      expect(chosenOf({ maxUnavailable: 4, annotations }, nodes)).toEqual([[0, 1, 2, 3], [], 4])
    })

    it('waits for nodes that are out of service or being updated', () => {
      expect(chosenOf({}, [drifted, at('V0', 'V1')])).toEqual([[], [0], 0])
      expect(chosenOf({}, [drifted, at('V0', 'V0', F)])).toEqual([[], [0], 0])
      expect(chosenOf({}, [drifted, drifted], { waitReason: 'another' })).toEqual([[], [0, 1], 0])
    })

    it('waits like a node that repairs its own files', () => {
      const repairing = at('V0', 'V0', { state: 'Working' })
      expect(chosenOf({}, [repairing, repairing])).toEqual([[0], [1], 1])
    })

    it('is explained with the number of nodes before it', () => {
      const plan = decide(facts({}, [drifted, drifted, drifted]))
      expect(explainNode(plan, 'node-0').at(-1)?.because).toBe('the node is repaired now')
      expect(explainNode(plan, 'node-2').at(-1)?.because).toBe(
        '1 other nodes come first, by zone and age',
      )
    })
  })

  it('is not repaired while the pool is paused', () => {
    const nodes = [at('V0', 'V2', bad), at('V0')]
    expect(chosenOf({ paused: true }, nodes)).toEqual([[], [], 0])
  })

  it('counts against the budget if it failed to apply the target', () => {
    const nodes = [at('V0', 'V1', bad), at('V0'), at('V0')]
    expect(chosenOf({ maxUnavailable: 2 }, nodes)).toEqual([[1], [2], 1])
  })

  it('that applies an outdated config gets the target', () => {
    const nodes = [at('V0', 'V2', { state: 'Working', cordoned: true }), at('V0')]
    expect(chosenOf({ target: 'V0' }, nodes)).toEqual([[0], [], 1])
  })
})

describe('a rollout whose nodes fail', () => {
  const nodes = [at('V0', 'V1', bad), at('V0', 'V1', bad), at('V0'), at('V0'), at('V0')]

  it('proceeds below the limit, which is the budget', () => {
    expect(chosenOf({ maxUnavailable: 3 }, nodes)).toEqual([[2], [3, 4], 1])
  })

  it.each([
    [2, undefined],
    [4, '2'],
    [4, '1'],
  ])('stops with budget %i and limit %s', (maxUnavailable, limit) => {
    const annotations: Record<string, string> =
      limit === undefined ? {} : { 'machinist.dev/stop-after-failures': limit }
    const plan = decide(facts({ maxUnavailable, annotations }, nodes))
    expect(plan.chosen).toEqual([])
    expect(explainPool(plan).at(-1)).toEqual({
      check: 'fewer nodes failed than the limit',
      passed: false,
      because: `2 failed (node-0, node-1); the rollout stops at ${limit ?? 2}`,
    })
  })

  it('proceeds with another config, broken nodes first', () => {
    expect(chosenOf({ target: 'V2', maxUnavailable: 2 }, nodes)).toEqual([[0, 1], [], 2])
  })
})

describe('a node that must drain in its desired config', () => {
  const drain = { 'machineconfiguration.openshift.io/desiredDrain': 'drain-V1' }
  const requesting = at('V1', 'V1', { state: 'Working', annotations: drain })
  const turns = (names: readonly string[]) => ({
    'machinist.dev/rollout': JSON.stringify({
      turns: Object.fromEntries(names.map((name) => [name, { config: 'V1', from: '1', at: 0 }])),
      took: [],
    }),
  })

  it('gets a turn within the budget, before healthy nodes', () => {
    const nodes = [requesting, requesting, requesting, at('V0')]
    const plan = decide(facts({ maxUnavailable: 2 }, nodes))
    expect(plan.chosen.map(({ name }) => name)).toEqual(['node-0', 'node-1'])
    expect([...plan.record!.turns.keys()]).toEqual(['node-0', 'node-1'])
    expect(explainNode(plan, 'node-2').at(0)?.because).toBe(
      'the node requests a drain without a turn, in V1',
    )
  })

  it('counts against the budget during its turn, and gets no second one', () => {
    const annotations = turns(['node-0'])
    expect(chosenOf({ annotations }, [requesting, requesting, at('V0')])).toEqual([[], [1], 0])
  })

  it('waits while the pool is paused', () => {
    expect(decide(facts({ paused: true }, [requesting])).chosen).toEqual([])
  })
})

describe('a turn that is void after a restore of etcd', () => {
  const annotations = {
    'machinist.dev/rollout': '{"turns":{"node-0":{"config":"V1","from":"900","at":0}},"took":[]}',
  }

  it('counts while the newest state of the node is not known', () => {
    expect(chosenOf({ annotations }, [at('V0'), at('V0')])).toEqual([[], [], 0])
  })

  it('is given again if the API server has the node at an older version', () => {
    const restored = new Set(['node-0'])
    const plan = decide(facts({ annotations }, [at('V0'), at('V0')], { restored }))
    expect(plan.chosen.map(({ name }) => name)).toEqual(['node-0'])
    expect(plan.record?.turns.get('node-0')?.from).toBe('1')
  })
})

describe('the control plane', () => {
  const nodes = [at('V0'), at('V0'), at('V0')]
  const master = { name: 'master', maxUnavailable: 3 }

  it('is updated one node at a time, the node of the operator last', () => {
    const plan = decide(facts(master, nodes, { operatorNode: 'node-0' }))
    expect(plan.chosen.map(({ name }) => name)).toEqual(['node-1'])
    expect(plan.deferred).toBe('node-0')
    expect(explainNode(plan, 'node-0').at(-1)).toEqual({
      check: 'the node of the operator is last',
      passed: false,
      because: 'the node runs the operator, and other nodes can be updated first',
    })
  })

  it('includes the node of the operator when no other is left', () => {
    const left = [at('V0'), at('V1'), at('V1')]
    expect(chosenOf(master, left, { operatorNode: 'node-0' })).toEqual([[0], [], 1])
  })

  it('waits for the arbiter', () => {
    const waitReason = 'the arbiter a is out of service'
    const plan = decide(facts(master, nodes, { waitReason }))
    expect(plan.chosen).toEqual([])
    expect(explainPool(plan).at(-1)?.because).toBe(waitReason)
  })

  it('is the only pool where the node of the operator is last', () => {
    expect(chosenOf({}, nodes, { operatorNode: 'node-0' })).toEqual([[0], [1, 2], 1])
  })
})
