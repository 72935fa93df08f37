import { describe, expect, it } from 'vitest'
import type { NodeTrust } from '../../api/kinds/resources.ts'
import {
  completing,
  midway,
  newCA,
  node,
  now,
  oldCA,
  preparing,
  rotation,
  trust,
} from './sample.fixture.ts'
import type { RotationFacts } from './facts.ts'
import type { NodeStanding } from './node-standing.ts'
import { standingsOf } from './node-standing.ts'

const both = [oldCA, newCA]
const written = { writtenAt: '2026-11-16T14:02:30Z' }
const letGo = { ...completing, retiring: [], desiredAuthorities: [newCA.fingerprint] }

/** The standing of one node, without undefined fields. */
function standing(facts: Partial<RotationFacts>): Partial<NodeStanding> | undefined {
  const [found] = standingsOf({ ...midway, nodes: [node('n')], ...facts }) ?? []
  return found && JSON.parse(JSON.stringify(found))
}

const n = { node: 'n', pool: 'worker' }

describe('a node', () => {
  it.each<[string, NodeTrust[], Partial<NodeStanding>]>([
    ['has had it long enough', [trust('n', both, written)], { standing: 'done' }],
    [
      'has had it only for a short time',
      [trust('n', both, { writtenAt: '2026-11-16T14:04:00Z' })],
      { standing: 'settling', countsAt: now + 60_000 },
    ],
    [
      'has not reported',
      [],
      { standing: 'behind', why: 'has not reported yet: check that the daemon runs there' },
    ],
    [
      'does not report the item',
      [{ metadata: { name: 'n' }, status: { items: [] } }],
      { standing: 'behind', why: 'does not report this item' },
    ],
    ['lacks it', [trust('n', [oldCA])], { standing: 'behind', why: 'does not have it yet' }],
    [
      'lacks it, with a reason',
      [trust('n', [oldCA], { state: 'Lagging', message: 'it is yet to be written' })],
      { standing: 'behind', why: 'it is yet to be written' },
    ],
    [
      'waits for its pool',
      [trust('n', [oldCA], { state: 'Rendered' })],
      { standing: 'behind', why: 'waiting for the rollout of its pool' },
    ],
    [
      'has failed',
      [trust('n', [oldCA], { state: 'Failed', message: 'no space left' })],
      { standing: 'failed', why: 'no space left' },
    ],
  ])('%s', (_, nodeTrusts, expected) => {
    expect(standing({ nodeTrusts })).toEqual({ ...n, ...expected })
  })

  it('that is down fails only while it lacks the CA', () => {
    const nodes = [node('n', 'worker', false)]
    expect(standing({ nodes, nodeTrusts: [trust('n', [oldCA])] })).toEqual({
      ...n,
      standing: 'failed',
      why: 'NotReady since 14:01',
    })
    expect(standing({ nodes, nodeTrusts: [trust('n', both, written)] })).toEqual({
      ...n,
      standing: 'done',
    })
  })

  it('that is excluded does not delay the rotation to this CA', () => {
    const nodeTrusts = [trust('n', [oldCA])]
    const override = (authority: string) => ({ override: { authority, nodes: ['n'] } })
    expect(
      standing({ nodeTrusts, rotation: rotation(preparing, override(newCA.fingerprint)) }),
    ).toEqual({ ...n, standing: 'excused' })
    expect(
      standing({ nodeTrusts, rotation: rotation(preparing, override(oldCA.fingerprint)) }),
    ).toMatchObject({ standing: 'behind' })
  })

  it('whose kubelet must restart counts when it reports that', () => {
    const item = { name: 'api-server-ca' }
    const facts = { rotation: rotation(preparing, { trustedBy: 'api-server-ca' }) }
    const standingWith = (state: 'Current' | 'Lagging' | 'Failed', message?: string) =>
      standing({
        ...facts,
        nodeTrusts: [trust('n', both, { ...item, state, ...(message && { message }) })],
      })
    expect(standingWith('Current')).toEqual({ ...n, standing: 'done' })
    expect(standingWith('Lagging', 'it waits for its turn')).toEqual({
      ...n,
      standing: 'settling',
      why: 'it waits for its turn',
    })
    expect(standingWith('Failed', 'it did not come back')).toEqual({
      ...n,
      standing: 'failed',
      why: 'it did not come back',
    })
  })

  it('must remove the old CA when the bundle no longer contains it', () => {
    const soon = { writtenAt: '2026-11-16T14:04:59Z' }
    expect(
      standing({ rotation: rotation(completing), nodeTrusts: [trust('n', both, written)] }),
    ).toEqual({ ...n, standing: 'done' })
    expect(standing({ rotation: rotation(letGo), nodeTrusts: [trust('n', both, soon)] })).toEqual({
      ...n,
      standing: 'behind',
      why: 'still trusts the old CA',
    })
    expect(
      standing({ rotation: rotation(letGo), nodeTrusts: [trust('n', [newCA], soon)] }),
    ).toEqual({ ...n, standing: 'done' })
  })

  it('still trusts the old CA if the signer lists it', () => {
    const { desiredAuthorities: _, ...unsaid } = letGo
    const laggards = [{ name: 'n', since: '2026-11-16T14:02:00Z', why: 'x' }]
    const nodeTrusts = [trust('n', both, written)]
    expect(standing({ rotation: rotation(unsaid), nodeTrusts })).toEqual({ ...n, standing: 'done' })
    expect(
      standing({ rotation: rotation({ ...unsaid, nodes: { laggards } }), nodeTrusts }),
    ).toEqual({ ...n, standing: 'behind', why: 'still trusts the old CA' })
  })
})

describe('nodes', () => {
  it('are sorted by name and number, without Windows nodes', () => {
    const windows = node('windows')
    windows.metadata.labels = { 'kubernetes.io/os': 'windows' }
    const facts = { ...midway, nodes: [...midway.nodes!, windows] }
    expect(standingsOf(facts)?.map((each) => each.node)).toEqual([
      'master-1',
      'master-2',
      'master-3',
      'worker-1',
      'worker-2',
      'worker-3',
      'worker-10',
    ])
  })

  it('are undefined without permission, or if time alone decides', () => {
    const { nodes: _, ...blind } = midway
    expect(standingsOf(blind)).toBeUndefined()
    const { trustedBy: __, ...spec } = midway.rotation.spec
    expect(standingsOf({ ...midway, rotation: { ...midway.rotation, spec } })).toBeUndefined()
  })
})
