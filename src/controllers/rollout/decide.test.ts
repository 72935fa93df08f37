import { describe, expect, it } from 'vitest'
import type { NodeSketch, PoolSketch } from '../../fleet/rollout/scene.fixture.ts'
import { at, facts } from '../../fleet/rollout/scene.fixture.ts'
import { decide, explainNode, explainPool } from './decide.ts'
import type { RolloutFacts } from '../../fleet/rollout/facts.ts'
import { byZoneThenAge } from '../../fleet/pools/order.ts'

function chosenOf(pool: PoolSketch, nodes: readonly NodeSketch[], more?: Partial<RolloutFacts>) {
  const { chosen, others, capacity } = decide(facts(pool, nodes, more))
  const numbers = (list: readonly { name: string }[]): number[] =>
    list.map(({ name }) => Number(name.slice('node-'.length)))
  return [numbers(chosen), numbers(others), capacity]
}

const F = { ready: false }
const bad = { state: 'Degraded' }

/** Nodes are all of one age and zone here, so their names decide. */
describe('candidates on the way to V1', () => {
  it.each<[string, number, NodeSketch[], number[], number[], number]>([
    ['all there', 1, [at('V1'), at('V1'), at('V1')], [], [], 1],
    ['one there but away', 1, [at('V1'), at('V1'), at('V1', 'V1', F)], [], [], 0],
    ['one away, one on its way', 1, [at('V1'), at('V1', 'V1', F), at('V0', 'V1')], [], [], 0],
    ['one of two away', 2, [at('V0', 'V0', F), at('V0'), at('V0')], [1], [2], 1],
    [
      'two of three spent',
      3,
      [at('V1'), at('V1', 'V1', F), at('V0', 'V1'), at('V0'), at('V0')],
      [3],
      [4],
      1,
    ],
    ['one told', 1, [at('V1'), at('V1'), at('V0', 'V1'), at('V0'), at('V0')], [], [], 0],
    // The original has node 2 stand in line here; for us the broken node is the whole budget until it is repaired.
    ['one failed something older', 1, [at('V1'), at('v0.1', 'v0.2', bad), at('V0')], [1], [], 1],
    ['one broken where it is', 1, [at('V1'), at('V1', 'V1', bad), at('V0')], [], [], 0],
    ['rolling back', 1, [at('V1'), at('V1'), at('V1', 'V2', bad), at('V1')], [2], [], 1],
    ['told something older, not begun', 1, [at('V1'), at('V1', 'V2'), at('V1')], [], [], 0],
    [
      'two of four spent',
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

describe('candidates of a layered pool on the way to V1 and img1', () => {
  const built: Partial<RolloutFacts> = { image: { is: 'built', image: 'img1' } }
  const images = (current: string, desired = current): NodeSketch => ({
    currentImage: current,
    desiredImage: desired,
  })

  it('go as others do', () => {
    const there = at('V1', 'V1', images('img1'))
    const waits = at('V0', 'V0', images('img0'))
    const nodes = [
      there,
      { ...there, ready: false },
      at('V0', 'V1', images('img0', 'img1')),
      { ...waits, ready: false },
      waits,
      waits,
      waits,
      there,
      there,
    ]
    expect(chosenOf({ maxUnavailable: 4 }, nodes, built)).toEqual([[4], [5, 6], 1])
  })

  it.each(['Done', 'Working'])('wait for one that was told an image and is %s', (state) => {
    const nodes = [at('V1', 'V1', { desiredImage: 'img1', state }), at('V1'), at('V1')]
    expect(chosenOf({ maxUnavailable: 1 }, nodes, built)).toEqual([[], [], 0])
  })

  it.each(['Done', 'Working'])('wait for one that loses its image and is %s', (state) => {
    const nodes = [at('V1', 'V1', { currentImage: 'img1', state }), at('V1'), at('V1')]
    expect(chosenOf({ maxUnavailable: 1 }, nodes)).toEqual([[], [], 0])
  })

  it('wait for the build', () => {
    const image = { is: 'awaited', because: 'waiting', pausedBecause: 'is not built' } as const
    const plan = decide(facts({}, [at('V0'), at('V0')], { image }))
    expect([plan.chosen, plan.writes, plan.record]).toEqual([[], [], undefined])
    expect(explainPool(plan).at(-1)).toEqual({
      policy: 'its image is built',
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
  ])('towards %s: %j, %s', (target, nodes, is, expected) => {
    const image = { is, image: 'img1', because: '', pausedBecause: '' } as RolloutFacts['image']
    const { updated, ready, unavailable, degraded } = decide(facts({ target }, nodes, { image }))
      .situation.counts
    expect([updated, ready, unavailable, degraded]).toEqual(expected)
  })
})

it('goes zone by zone, and in each from old to new', () => {
  const sketches = [
    { zone: 'ZZZ', createdAt: '2026-01-03T00:00:00Z' },
    { createdAt: '2026-01-02T00:00:00Z' },
    { zone: 'RRR', createdAt: '2026-01-02T00:00:00Z' },
    { zone: 'ZZZ', createdAt: '2026-01-01T00:00:00Z' },
    { createdAt: '2026-01-01T00:00:00Z' },
    { zone: 'QQQ', createdAt: '2026-01-09T00:00:00Z' },
    { zone: 'ZZZ', createdAt: '2026-01-02T00:00:00Z' },
    { zone: 'RRR', createdAt: '2026-01-01T00:00:00Z' },
    { createdAt: '2026-01-03T00:00:00Z' },
  ]
  const { nodes } = facts({}, sketches)
  const sorted = nodes.toSorted(byZoneThenAge).map(({ name }) => name.slice(5))
  expect(sorted.join(' ')).toBe('5 7 2 3 6 0 4 1 8')
})

describe('a broken node', () => {
  it('is repaired without budget, even away and cordoned', () => {
    const broken = at('V0', 'V2', { ...bad, ready: false, cordoned: true })
    const nodes = [broken, at('V0', 'V0', F), broken, at('V0')]
    expect(chosenOf({ maxUnavailable: 1 }, nodes)).toEqual([[0, 2], [], 2])
  })

  describe('whose pods still run, since it is where it was told to be', () => {
    const drifted = at('V0', 'V0', bad)

    it('is repaired within the budget', () => {
      const nodes = [drifted, drifted, drifted, at('V0')]
      expect(chosenOf({ name: 'master' }, nodes)).toEqual([[0], [1, 2], 1])
      expect(chosenOf({ maxUnavailable: 2 }, nodes)).toEqual([[0, 1], [2], 2])
      expect(chosenOf({ maxUnavailable: 4 }, nodes)).toEqual([[0, 1, 2], [], 3])
      const annotations = { 'machinist.dev/allow-whole-pool-unavailable': 'true' }
      expect(chosenOf({ maxUnavailable: 4, annotations }, nodes)).toEqual([[0, 1, 2, 3], [], 4])
    })

    it('waits for those that are out of service or on their way', () => {
      expect(chosenOf({}, [drifted, at('V0', 'V1')])).toEqual([[], [0], 0])
      expect(chosenOf({}, [drifted, at('V0', 'V0', F)])).toEqual([[], [0], 0])
      expect(chosenOf({}, [drifted, drifted], { behind: 'another' })).toEqual([[], [0, 1], 0])
    })

    it('stands in line like one that puts its own files right', () => {
      const healing = at('V0', 'V0', { state: 'Working' })
      expect(chosenOf({}, [healing, healing])).toEqual([[0], [1], 1])
    })

    it('says who is before it', () => {
      const plan = decide(facts({}, [drifted, drifted, drifted]))
      expect(explainNode(plan, 'node-0').at(-1)?.because).toBe('it is repaired now')
      expect(explainNode(plan, 'node-2').at(-1)?.because).toBe(
        '1 others that wait are before it, by zone and age',
      )
    })
  })

  it('is not repaired while the pool is paused', () => {
    const nodes = [at('V0', 'V2', bad), at('V0')]
    expect(chosenOf({ paused: true }, nodes)).toEqual([[], [], 0])
  })

  it('takes its part of the budget when it failed the target itself', () => {
    const nodes = [at('V0', 'V1', bad), at('V0'), at('V0')]
    expect(chosenOf({ maxUnavailable: 2 }, nodes)).toEqual([[1], [2], 1])
  })

  it('on its way to what nobody wants any more is turned round', () => {
    const nodes = [at('V0', 'V2', { state: 'Working', cordoned: true }), at('V0')]
    expect(chosenOf({ target: 'V0' }, nodes)).toEqual([[0], [], 1])
  })
})

describe('a rollout whose nodes fail', () => {
  const nodes = [at('V0', 'V1', bad), at('V0', 'V1', bad), at('V0'), at('V0'), at('V0')]

  it('goes on below the limit, which is the budget', () => {
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
      policy: 'few nodes failed',
      passed: false,
      because: `2 failed (node-0, node-1), it stops at ${limit ?? 2}`,
    })
  })

  it('goes on with another configuration, the broken ones first', () => {
    expect(chosenOf({ target: 'V2', maxUnavailable: 2 }, nodes)).toEqual([[0, 1], [], 2])
  })
})

describe('a node that has to drain in the configuration that it was told', () => {
  const drain = { 'machineconfiguration.openshift.io/desiredDrain': 'drain-V1' }
  const asks = at('V1', 'V1', { state: 'Working', annotations: drain })
  const turns = (names: readonly string[]) => ({
    'machinist.dev/rollout': JSON.stringify({
      turns: Object.fromEntries(names.map((name) => [name, { config: 'V1', from: '1', at: 0 }])),
      took: [],
    }),
  })

  it('gets a turn within the budget, before nodes that serve', () => {
    const nodes = [asks, asks, asks, at('V0')]
    const plan = decide(facts({ maxUnavailable: 2 }, nodes))
    expect(plan.chosen.map(({ name }) => name)).toEqual(['node-0', 'node-1'])
    expect([...plan.record!.turns.keys()]).toEqual(['node-0', 'node-1'])
    expect(explainNode(plan, 'node-2').at(0)?.because).toBe(
      'it asks for a drain without a turn, in V1',
    )
  })

  it('spends the budget while it has its turn, and is not given another one', () => {
    const annotations = turns(['node-0'])
    expect(chosenOf({ annotations }, [asks, asks, at('V0')])).toEqual([[], [1], 0])
  })

  it('waits while the pool is paused', () => {
    expect(decide(facts({ paused: true }, [asks])).chosen).toEqual([])
  })
})

describe('a turn that a restore of etcd has made void', () => {
  const annotations = {
    'machinist.dev/rollout': '{"turns":{"node-0":{"config":"V1","from":"900","at":0}},"took":[]}',
  }

  it('counts while the newest state of its node is not known', () => {
    expect(chosenOf({ annotations }, [at('V0'), at('V0')])).toEqual([[], [], 0])
  })

  it('is given again when the server has the node at an older version', () => {
    const restored = new Set(['node-0'])
    const plan = decide(facts({ annotations }, [at('V0'), at('V0')], { restored }))
    expect(plan.chosen.map(({ name }) => name)).toEqual(['node-0'])
    expect(plan.record?.turns.get('node-0')?.from).toBe('1')
  })
})

describe('the control plane', () => {
  const nodes = [at('V0'), at('V0'), at('V0')]
  const master = { name: 'master', maxUnavailable: 3 }

  it("goes one at a time, the operator's own node last", () => {
    const plan = decide(facts(master, nodes, { operatorNode: 'node-0' }))
    expect(plan.chosen.map(({ name }) => name)).toEqual(['node-1'])
    expect(plan.deferred).toBe('node-0')
    expect(explainNode(plan, 'node-0').at(-1)).toEqual({
      policy: "the operator's own node comes last",
      passed: false,
      because: 'it runs the operator, and other nodes can go first',
    })
  })

  it("takes the operator's own node when it is the only one left", () => {
    const left = [at('V0'), at('V1'), at('V1')]
    expect(chosenOf(master, left, { operatorNode: 'node-0' })).toEqual([[0], [], 1])
  })

  it('waits for its arbiter', () => {
    const behind = 'the arbiter a is out of service'
    const plan = decide(facts(master, nodes, { behind }))
    expect(plan.chosen).toEqual([])
    expect(explainPool(plan).at(-1)?.because).toBe(behind)
  })

  it("is not the only place for the operator's pod: elsewhere it changes nothing", () => {
    expect(chosenOf({}, nodes, { operatorNode: 'node-0' })).toEqual([[0], [1, 2], 1])
  })
})

describe('explanations', () => {
  it('say of a node that waits who is before it', () => {
    const plan = decide(facts({}, [at('V0'), at('V0'), at('V0')]))
    expect(explainNode(plan, 'node-2')).toEqual([
      {
        policy: 'it needs the configuration',
        passed: true,
        because: 'it is told to run V0, not V1',
      },
      { policy: 'its pool goes on', passed: true, because: 'nothing holds the pool up' },
      { policy: 'it is in the pool that it booted into', passed: true, because: 'it is' },
      { policy: 'its newest state is known', passed: true, because: 'it is' },
      { policy: 'it can be told', passed: true, because: 'it is ready' },
      { policy: 'healthy nodes may go', passed: true, because: 'nothing holds them up' },
      {
        policy: "the operator's own node comes last",
        passed: true,
        because: 'it does not run the operator',
      },
      {
        policy: 'it is next in line',
        passed: false,
        because: '1 others that wait are before it, by zone and age',
      },
    ])
    expect(explainNode(plan, 'node-0').at(-1)?.because).toBe('it is told now')
    expect(explainNode(plan, 'stranger')).toEqual([])
  })

  it.each<[PoolSketch, NodeSketch, string]>([
    [{ paused: true }, at('V0'), 'it is not paused does not hold: spec.paused is true'],
    [{}, at('V0', 'V0', { cordoned: true }), 'it is cordoned by a user'],
    [{}, at('V1'), 'it runs V1'],
    [
      {},
      at('V0', 'V1', { ...bad, reason: 'disk is full' }),
      'it was told to run V1 and failed: disk is full',
    ],
    [{}, at('V0', 'V1', { state: 'Working' }), 'it was told to run V1 and is on its way'],
    [
      { maxUnavailable: 'some' },
      at('V0'),
      'its budget is understood does not hold: spec.maxUnavailable is "some": no node is updated until it is a number of at least 0, or a percentage from "0%" to "100%"',
    ],
    [{ target: '' }, at('V0'), 'nothing was rendered for it yet; see RenderDegraded'],
  ])('of %j and %j end with: %s', (pool, node, because) => {
    const verdicts = explainNode(decide(facts(pool, [node])), 'node-0')
    expect(verdicts.at(-1)).toMatchObject({ passed: false, because })
  })
})
