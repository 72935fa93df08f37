import { describe, expect, it } from 'vitest'
import type { PoolSketch } from '../pools/pool.fixture.ts'
import { chooseNodes } from './choose.ts'
import { explainNode, explainPool } from './explain.ts'
import type { RolloutFacts } from './facts.ts'
import type { NodeSketch } from './scene.fixture.ts'
import { at, facts } from './scene.fixture.ts'
import { situationOf } from './situation.ts'

const choice = (pool: PoolSketch, nodes: readonly NodeSketch[], more?: Partial<RolloutFacts>) =>
  chooseNodes(situationOf(facts(pool, nodes, more)))

describe('explanations', () => {
  it('of a waiting node list every check, and the number of nodes before it', () => {
    const plan = choice({}, [at('V0'), at('V0'), at('V0')])
    expect(explainNode(plan, 'node-2')).toEqual([
      {
        check: 'the node needs the config',
        passed: true,
        because: 'desiredConfig is V0, not V1',
      },
      { check: 'the pool may be updated', passed: true, because: 'nothing blocks the pool' },
      {
        check: 'the node is in the pool that it booted into',
        passed: true,
        because: 'no other pool served its first config',
      },
      {
        check: 'the newest state of the node is known',
        passed: true,
        because: 'the cache is newer than its last turn',
      },
      {
        check: 'the node is ready, or needs no budget',
        passed: true,
        because: 'the node is ready',
      },
      { check: 'healthy nodes may be updated', passed: true, because: 'nothing blocks them' },
      {
        check: 'the node of the operator is last',
        passed: true,
        because: 'the node does not run the operator',
      },
      {
        check: 'the node is next in order',
        passed: false,
        because: '1 other nodes come first, by zone and age',
      },
    ])
    expect(explainNode(plan, 'node-0').at(-1)?.because).toBe('the node is updated now')
    expect(explainNode(plan, 'stranger')).toEqual([])
  })

  it.each<[PoolSketch, NodeSketch, string]>([
    [{ paused: true }, at('V0'), '"the pool is not paused" fails: spec.paused is true'],
    [{}, at('V0', 'V0', { cordoned: true }), 'the node is cordoned by a user'],
    [{}, at('V1'), 'the node runs V1'],
    [
      {},
      at('V0', 'V1', { state: 'Degraded', reason: 'disk is full' }),
      'desiredConfig is V1 and the update failed: disk is full',
    ],
    [{}, at('V0', 'V1', { state: 'Working' }), 'desiredConfig is V1 and the update is in progress'],
    [
      { maxUnavailable: 'some' },
      at('V0'),
      '"maxUnavailable is valid" fails: spec.maxUnavailable is "some": no node is updated until it is a number of at least 0, or a percentage from "0%" to "100%"',
    ],
    [{ target: '' }, at('V0'), 'no config is rendered for the pool yet; see RenderDegraded'],
  ])('of %j and %j end with: %s', (pool, node, because) => {
    const verdicts = explainNode(choice(pool, [node]), 'node-0')
    expect(verdicts.at(-1)).toMatchObject({ passed: false, because })
  })
})

describe('explanations of a pool', () => {
  it('list the pool checks and the round checks', () => {
    expect(explainPool(choice({}, [at('V0'), at('V0')]))).toEqual([
      { check: 'the nodeSelector is valid', passed: true, because: 'the pool has 2 nodes' },
      { check: 'the pool has a rendered config', passed: true, because: 'MachineConfig V1' },
      {
        check: 'no other controller configured the nodes',
        passed: true,
        because: 'the nodes run configs of Machinist, or configs with the same content',
      },
      {
        check: 'the pool is not being deleted',
        passed: true,
        because: 'the pool has no deletionTimestamp',
      },
      { check: 'the pool is not paused', passed: true, because: 'spec.paused is not set' },
      { check: 'the OS image is built', passed: true, because: 'the pool is not layered' },
      {
        check: 'maxUnavailable is valid',
        passed: true,
        because: '1 nodes may be unavailable at once',
      },
      {
        check: 'no other pool goes first',
        passed: true,
        because: 'the pool waits for no other pool',
      },
      { check: 'fewer nodes failed than the limit', passed: true, because: 'none failed' },
      {
        check: 'the budget has room',
        passed: true,
        because: '0 of at most 1 nodes are out of service or being updated',
      },
    ])
  })

  it('end with the first check that fails', () => {
    expect(explainPool(choice({ paused: true }, [at('V0')])).at(-1)).toEqual({
      check: 'the pool is not paused',
      passed: false,
      because: 'spec.paused is true',
    })
  })
})
