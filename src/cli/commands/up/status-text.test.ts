import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { colorStyle, plainStyle } from '../../text/style.ts'
import type {
  ClusterStatus,
  InputStatus,
  NodeStatus,
  PoolStatus,
  RotationStatus,
} from '../../../views/status/cluster-status.ts'
import { statusChanges } from '../../../views/status/changes.ts'
import { statusPicture } from './status-text.ts'

const digest = '0123456789abcdef0123456789abcdef'
const now = `rendered-worker-${digest}`
const old = `rendered-worker-f${digest.slice(1)}`

const worker: PoolStatus = {
  name: 'worker',
  state: 'Updating',
  updated: 1,
  total: 3,
  config: now,
  why: `1 of 3 nodes are updated to MachineConfig ${now}. Blocked nodes: node worker-2 cordoned by a user since 2026-03-01T10:00:00Z`,
  nodes: [
    { name: 'worker-0', state: 'ok', activity: 'done', config: now },
    {
      name: 'worker-1',
      state: 'progressing',
      activity: 'draining',
      config: old,
      why: 'pod shop/web-1 cannot be evicted',
    },
    { name: 'worker-2', state: 'failing', activity: 'cordoned by a user', config: old },
  ],
}
const infra: PoolStatus = {
  name: 'infra',
  state: 'Updated',
  updated: 1,
  total: 1,
  config: `rendered-infra-${digest}`,
  why: '',
  nodes: [{ name: 'infra-0', state: 'ok', activity: 'done', config: `rendered-infra-${digest}` }],
}

const rotation: RotationStatus = {
  name: 'kube-apiserver-to-kubelet',
  state: 'progressing',
  phase: 'Preparing',
  trusting: 7,
  total: 9,
  why: 'node worker-2 has not reported yet',
}

const badInput: InputStatus = {
  name: 'kubelet-ca',
  why: 'ConfigMap openshift-config/ca contains no certificate',
}

const nothing: ClusterStatus = { pools: [], rotations: [], badInputs: [] }

describe('the picture', () => {
  it('shows pools with the reason of their state, and the activity of their nodes', () => {
    expect(
      statusPicture(
        { pools: [worker, infra], rotations: [rotation], badInputs: [badInput] },
        { style: plainStyle, width: 80 },
      ).join('\n'),
    ).toBe(
      `worker       Updating  1/3    worker-01234567…
    1 of 3 nodes are updated to MachineConfig worker-01234567…. Blocked nodes:
    node worker-2 cordoned by a user since 2026-03-01T10:00:00Z
  ✓ worker-0 done
  … worker-1 draining (in worker-f1234567…)
      pod shop/web-1 cannot be evicted
  ! worker-2 cordoned by a user (in worker-f1234567…)

infra        Updated   1/1    infra-01234567…
  ✓ infra-0  done

rotation kube-apiserver-to-kubelet: Preparing 7/9
    node worker-2 has not reported yet

input kubelet-ca: degraded, the last valid value stays in use
    ConfigMap openshift-config/ca contains no certificate`,
    )
  })

  it('fits its window and escapes control characters in messages of others', () => {
    const name = fc.integer({ min: 1, max: 60 }).map((length) => 'x'.repeat(length))
    const odd = fc.constantFrom('\u001b', '\n', '\u0007', '\u202e', '\u2028', ' ', 'é', '🎉')
    const unit = fc.oneof(odd, fc.string({ minLength: 1, maxLength: 12 }))
    const text = fc.string({ unit, maxLength: 100 })
    const node: fc.Arbitrary<NodeStatus> = fc.record({
      name,
      state: fc.constantFrom('ok', 'progressing', 'failing'),
      activity: fc.constantFrom('done', 'draining'),
      config: fc.constantFrom(now, old),
      why: text,
    })
    const pool: fc.Arbitrary<PoolStatus> = fc.record({
      name,
      state: fc.constantFrom('Updated', 'Updating', 'Paused', 'Degraded', 'Starting'),
      updated: fc.nat(100),
      total: fc.nat(100),
      config: fc.constantFrom(now, old),
      why: text,
      nodes: fc.array(node, { maxLength: 3 }),
    })
    const rotating: fc.Arbitrary<RotationStatus> = fc.record({
      name,
      state: fc.constantFrom('progressing', 'failing'),
      phase: fc.constantFrom('Preparing', 'Degraded'),
      trusting: fc.nat(100),
      total: fc.nat(100),
      why: text,
    })
    fc.assert(
      fc.property(
        fc.array(pool, { maxLength: 3 }),
        fc.array(rotating, { maxLength: 2 }),
        fc.integer({ min: 40, max: 120 }),
        (pools, rotations, width) => {
          for (const line of statusPicture(
            { pools, rotations, badInputs: [{ name: 'x', why: width % 2 ? 'a\nb' : '' }] },
            { style: plainStyle, width, lines: 12 },
          )) {
            expect(line.length).toBeLessThanOrEqual(width)
            expect(line).not.toMatch(/\p{Cc}/u)
          }
        },
      ),
      { numRuns: 40 },
    )
  })

  it('shows full reasons if they fit, and shortens them otherwise', () => {
    const why = 'word '.repeat(60).trim()
    const long = { ...infra, state: 'Degraded' as const, why }
    const lines = (maxLines?: number): string[] =>
      statusPicture(
        { ...nothing, pools: [long] },
        { style: plainStyle, width: 80, ...(maxLines !== undefined && { lines: maxLines }) },
      )
    expect(lines()).toHaveLength(6)
    expect(lines().join(' ')).not.toContain('…\n')
    expect(lines(5)).toHaveLength(5)
    expect(lines(5)[3]).toMatch(/ …$/)
    expect(lines(3)).toHaveLength(3)
  })

  it('groups nodes that need no attention if there is little room', () => {
    const nodes: NodeStatus[] = [
      ...['a', 'b', 'c'].map(
        (name) => ({ name, state: 'ok', activity: 'done', config: now }) as const,
      ),
      { name: 'd', state: 'waiting', activity: 'waiting for its turn', config: old },
      { name: 'e', state: 'waiting', activity: 'waiting for its turn', config: old },
      { name: 'f', state: 'failing', activity: 'failed', config: old, why: 'no room' },
    ]
    const pools: PoolStatus[] = [{ ...worker, why: '', nodes }]
    const picture = statusPicture({ ...nothing, pools }, { style: plainStyle, width: 80, lines: 6 })
    expect(picture.slice(1)).toEqual([
      '  ✓ a, b, c  done',
      '  · d, e     waiting for its turn (in worker-f1234567…)',
      '  ! f        failed (in worker-f1234567…)',
      '      no room',
    ])
  })

  it('has colors with a color style', () => {
    const [head] = statusPicture({ ...nothing, pools: [infra] }, { style: colorStyle, width: 80 })
    expect(head).toContain('\u001b[32mUpdated  \u001b[39m')
  })
})

describe('changes', () => {
  it('are printed once, one line each', () => {
    const before: ClusterStatus = { ...nothing, pools: [infra] }
    expect(statusChanges(undefined, before)).toEqual([
      'pool infra: Updated 1/1 in infra-01234567…',
      'node infra-0: done, infra-01234567…',
    ])
    expect(statusChanges(before, before)).toEqual([])
    const after: ClusterStatus = {
      ...nothing,
      pools: [
        {
          ...infra,
          nodes: [{ ...infra.nodes[0]!, activity: 'failed', state: 'failing', why: 'no\nroom' }],
        },
      ],
    }
    expect(statusChanges(before, after)).toEqual(['node infra-0: failed, infra-01234567…: no room'])
    expect(statusChanges(before, { ...nothing, pools: [{ ...infra, nodes: [] }] })).toEqual([
      'node infra-0: gone',
    ])
  })

  it('of inputs are printed when an input fails and when it recovers', () => {
    const bad: ClusterStatus = { ...nothing, badInputs: [badInput] }
    expect(statusChanges(nothing, bad)).toEqual([
      'input kubelet-ca: degraded, the last valid value stays in use: ConfigMap openshift-config/ca contains no certificate',
    ])
    expect(statusChanges(bad, bad)).toEqual([])
    expect(statusChanges(bad, nothing)).toEqual(['input kubelet-ca: recovered'])
  })

  it('of rotations are printed until they are completed', () => {
    const of = (...rotations: RotationStatus[]): ClusterStatus => ({ ...nothing, rotations })
    const line =
      'rotation kube-apiserver-to-kubelet: Preparing 7/9: node worker-2 has not reported yet'
    expect(statusChanges(of(), of(rotation))).toEqual([line])
    expect(statusChanges(of(rotation), of(rotation))).toEqual([])
    expect(statusChanges(of(rotation), of({ ...rotation, phase: 'Issuing', why: '' }))).toEqual([
      'rotation kube-apiserver-to-kubelet: Issuing 7/9',
    ])
    expect(statusChanges(of(rotation), of())).toEqual(['rotation kube-apiserver-to-kubelet: done'])
  })

  it('of the estimated end of a rollout are not printed', () => {
    const end = (time: string): ClusterStatus => ({
      ...nothing,
      pools: [{ ...worker, nodes: [], why: `1 of 3. Expected to end at about ${time}` }],
    })
    expect(statusChanges(end('2026-03-01T10:00:00Z'), end('2026-03-01T10:01:00Z'))).toEqual([])
  })
})
