import { describe, expect, it } from 'vitest'
import type { Node } from '@machinist/kube/kinds/core'
import type { NodeSketch } from './scene.fixture.ts'
import { at, node } from './scene.fixture.ts'
import { factsOf, isReady, isUnavailable, phaseOf } from './node-facts.ts'

function conditioned(conditions: Record<string, string>, unschedulable = false): Node {
  return {
    metadata: { name: 'x' },
    spec: { unschedulable },
    status: {
      conditions: Object.entries(conditions).map(([type, status]) => ({
        type,
        status: status as 'True' | 'False',
      })),
    },
  }
}

describe('ready', () => {
  it.each([
    [{ Ready: 'True' }, false, true],
    [{ DiskPressure: 'False' }, false, true],
    [{ Ready: 'True', DiskPressure: 'False' }, false, true],
    [{}, false, true],
    [{ Ready: 'False' }, false, false],
    [{ Ready: 'Unknown' }, false, false],
    [{ DiskPressure: 'True' }, false, false],
    [{ Ready: 'True', DiskPressure: 'True' }, false, false],
    [{ Ready: 'False', DiskPressure: 'False' }, false, false],
    [{ Ready: 'True', NetworkUnavailable: 'True' }, false, false],
    [{ Ready: 'True' }, true, false],
    [{}, true, false],
  ])('with %j, cordoned %s: %s', (conditions, cordoned, ready) => {
    expect(isReady(factsOf(conditioned(conditions, cordoned)))).toBe(ready)
  })

  it('lists the problems of a node with their start', () => {
    const tainted = node({
      ready: false,
      readySince: '2026-02-01T00:00:00Z',
      cordoned: true,
      taints: [
        {
          key: 'node.kubernetes.io/unschedulable',
          effect: 'NoSchedule',
          timeAdded: '2026-01-05T00:00:00Z',
        },
      ],
    })
    expect(factsOf(tainted).problems).toEqual([
      { kind: 'cordoned', since: '2026-01-05T00:00:00Z' },
      { kind: 'NotReady', since: '2026-02-01T00:00:00Z' },
    ])
  })
})

const unavailable = (sketch: NodeSketch): boolean => isUnavailable(factsOf(node(sketch)))

describe('unavailable', () => {
  it.each<[string, NodeSketch, boolean]>([
    ['in its desired config', at('V0'), false],
    ['being updated', at('V0', 'V1'), true],
    ['not ready', at('V1', 'V1', { ready: false }), true],
    ['without annotations', {}, true],
    ['degraded in its desired config', at('V0', 'V0', { state: 'Degraded' }), true],
    ['rebooting', at('V0', 'V0', { state: 'Rebooting' }), true],
    ['degraded during its update', at('V0', 'V1', { state: 'Degraded' }), false],
    [
      'degraded with another image',
      at('V0', 'V0', { currentImage: 'img0', desiredImage: 'img1', state: 'Degraded' }),
      true,
    ],
    ['desired image set, done', at('V0', 'V0', { desiredImage: 'img1' }), true],
    [
      'desired image set, working',
      at('V0', 'V0', { desiredImage: 'img1', state: 'Working' }),
      true,
    ],
    ['to lose its image', at('V0', 'V0', { currentImage: 'img1' }), true],
  ])('%s: %j is %s', (_, sketch, expected) => {
    expect(unavailable(sketch)).toBe(expected)
  })
})

describe('the phase of a node with target V1', () => {
  it.each<[NodeSketch, string]>([
    [at('V1'), 'updated'],
    [at('V0'), 'waiting'],
    [at('V0', 'V1'), 'targeted'],
    [at('V0', 'V1', { state: 'Working' }), 'updating'],
    [at('V0', 'V1', { state: 'Degraded' }), 'failed'],
    [at('V0', 'V2', { state: 'Unreconcilable' }), 'degraded'],
  ])('%j is %s', (sketch, phase) => {
    expect(phaseOf(factsOf(node(sketch)), { config: 'V1', layered: false })).toBe(phase)
  })
})
