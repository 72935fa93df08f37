import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nothing } from '@machinist/core/objects/selectors'
import type { Pod } from '@machinist/kube/kinds/core'
import { owner, podWith } from './objects.fixture.ts'
import { podName, podsToEvict, reasonToStay } from './pods-to-evict.ts'

const rules = { skip: nothing, missingDaemonSets: new Set<string>() }
const ofDaemonSet = { owner: owner('DaemonSet', 'logs') }

describe('the pods to evict, as with kubectl drain --force --ignore-daemonsets --delete-emptydir-data', () => {
  it.each<[string, Pod]>([
    ['of a ReplicaSet', podWith('a', { owner: owner('ReplicaSet', 'web') })],
    ['without a controller', podWith('a')],
    [
      'with an owner that is not its controller',
      podWith('a', { owner: owner('DaemonSet', 'logs', 'apps/v1', false) }),
    ],
    ['with local data', podWith('a', { emptyDir: true })],
    ['that has finished', podWith('a', { phase: 'Succeeded' })],
    ['of a DaemonSet, but finished', podWith('a', { ...ofDaemonSet, phase: 'Failed' })],
    [
      'of a DaemonSet of another API group',
      podWith('a', { owner: owner('DaemonSet', 'logs', 'example.com/v1') }),
    ],
    ['that is terminating', podWith('a', { deletionTimestamp: '2026-01-01T00:00:00Z' })],
  ])('a pod %s is evicted', (_, pod) => {
    expect(reasonToStay(pod, rules)).toBeUndefined()
  })

  it.each<[string, Pod, string]>([
    ['of a DaemonSet', podWith('a', ofDaemonSet), 'belongs to a DaemonSet'],
    [
      'that mirrors a static pod',
      podWith('a', {
        annotations: { 'kubernetes.io/config.mirror': 'x' },
        owner: owner('Node', 'worker-1', 'v1'),
      }),
      'is a mirror pod',
    ],
    [
      'that mirrors a static pod, finished',
      podWith('a', { annotations: { 'kubernetes.io/config.mirror': '' }, phase: 'Succeeded' }),
      'is a mirror pod',
    ],
  ])('a pod %s stays', (_, pod, why) => {
    expect(reasonToStay(pod, rules)).toBe(why)
  })

  it('a pod of a deleted DaemonSet is evicted', () => {
    const gone = { ...rules, missingDaemonSets: new Set(['shop/logs']) }
    expect(reasonToStay(podWith('a', ofDaemonSet), gone)).toBeUndefined()
    expect(reasonToStay(podWith('a', { ...ofDaemonSet, namespace: 'other' }), gone)).toBe(
      'belongs to a DaemonSet',
    )
  })

  it('a pod that the DrainPolicy selects stays', () => {
    const skip = [{ key: 'stays', operator: 'exists' }] as const
    const keeping = { ...rules, skip }
    expect(reasonToStay(podWith('a', { labels: { stays: '' } }), keeping)).toBe(
      'is kept by the DrainPolicy',
    )
    expect(reasonToStay(podWith('b', { labels: { app: 'web' } }), keeping)).toBeUndefined()
  })
})

describe('the order of evictions', () => {
  it('is by ascending priority, then by name', () => {
    const pods = [
      podWith('dns', { priority: 2_000_000_000 }),
      podWith('web-2'),
      podWith('web-1'),
      podWith('batch', { priority: -5 }),
      podWith('web-1', { namespace: 'aside' }),
    ]
    expect(podsToEvict(pods, rules).map(podName)).toEqual([
      'shop/batch',
      'aside/web-1',
      'shop/web-1',
      'shop/web-2',
      'shop/dns',
    ])
  })

  it('does not depend on the order of the list, and is complete', () => {
    const pod = fc
      .record({
        name: fc.stringMatching(/^[a-z]{1,3}$/),
        priority: fc.option(fc.integer({ min: -3, max: 3 }), { nil: undefined }),
        daemon: fc.boolean(),
      })
      .map(({ name, priority, daemon }) =>
        podWith(name, { ...(priority !== undefined && { priority }), ...(daemon && ofDaemonSet) }),
      )
    const pods = fc.uniqueArray(pod, { selector: podName, maxLength: 12 })
    fc.assert(
      fc.property(pods, (found) => {
        const order = podsToEvict(found, rules).map(podName)
        expect(podsToEvict([...found].reverse(), rules).map(podName)).toEqual(order)
        const staying = found.filter((one) => reasonToStay(one, rules) !== undefined)
        expect(order.length + staying.length).toBe(found.length)
      }),
      { numRuns: 200 },
    )
  })
})
