import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { owner, podThat } from './objects.fixture.ts'
import { nothing } from '@machinist/core/selectors'
import type { Pod } from '@machinist/kube/kinds/core'
import { podName, podsToLeave, whyStays } from './departures.ts'

const rules = { skip: nothing, missingDaemonSets: new Set<string>() }
const ofDaemonSet = { owner: owner('DaemonSet', 'logs') }

describe('which pods leave, as with kubectl drain --force --ignore-daemonsets --delete-emptydir-data', () => {
  it.each<[string, Pod]>([
    ['of a ReplicaSet', podThat('a', { owner: owner('ReplicaSet', 'web') })],
    ['that nobody manages', podThat('a')],
    [
      'with an owner that is not its controller',
      podThat('a', { owner: owner('DaemonSet', 'logs', 'apps/v1', false) }),
    ],
    ['with local data', podThat('a', { emptyDir: true })],
    ['that has finished', podThat('a', { phase: 'Succeeded' })],
    ['of a DaemonSet, but finished', podThat('a', { ...ofDaemonSet, phase: 'Failed' })],
    [
      'of something else that is called DaemonSet',
      podThat('a', { owner: owner('DaemonSet', 'logs', 'example.com/v1') }),
    ],
    ['that is already on its way', podThat('a', { deletionTimestamp: '2026-01-01T00:00:00Z' })],
  ])('one %s leaves', (_, pod) => {
    expect(whyStays(pod, rules)).toBeUndefined()
  })

  it.each<[string, Pod, string]>([
    ['of a DaemonSet', podThat('a', ofDaemonSet), 'is of a DaemonSet'],
    [
      'that stands for a static one',
      podThat('a', {
        annotations: { 'kubernetes.io/config.mirror': 'x' },
        owner: owner('Node', 'worker-1', 'v1'),
      }),
      'is a mirror pod',
    ],
    [
      'that stands for a static one, finished',
      podThat('a', { annotations: { 'kubernetes.io/config.mirror': '' }, phase: 'Succeeded' }),
      'is a mirror pod',
    ],
  ])('one %s stays', (_, pod, why) => {
    expect(whyStays(pod, rules)).toBe(why)
  })

  it('one whose DaemonSet is gone leaves', () => {
    const gone = { ...rules, missingDaemonSets: new Set(['shop/logs']) }
    expect(whyStays(podThat('a', ofDaemonSet), gone)).toBeUndefined()
    expect(whyStays(podThat('a', { ...ofDaemonSet, namespace: 'other' }), gone)).toBe(
      'is of a DaemonSet',
    )
  })

  it('one that the policy keeps stays', () => {
    const skip = [{ key: 'stays', operator: 'exists' }] as const
    const keeping = { ...rules, skip }
    expect(whyStays(podThat('a', { labels: { stays: '' } }), keeping)).toBe(
      'is kept by the DrainPolicy',
    )
    expect(whyStays(podThat('b', { labels: { app: 'web' } }), keeping)).toBeUndefined()
  })
})

describe('the order in which they leave', () => {
  it('is the least important first, then by name', () => {
    const pods = [
      podThat('dns', { priority: 2_000_000_000 }),
      podThat('web-2'),
      podThat('web-1'),
      podThat('batch', { priority: -5 }),
      podThat('web-1', { namespace: 'aside' }),
    ]
    expect(podsToLeave(pods, rules).map(podName)).toEqual([
      'shop/batch',
      'aside/web-1',
      'shop/web-1',
      'shop/web-2',
      'shop/dns',
    ])
  })

  it('does not depend on the order in which they were found, and loses nobody', () => {
    const pod = fc
      .record({
        name: fc.stringMatching(/^[a-z]{1,3}$/),
        priority: fc.option(fc.integer({ min: -3, max: 3 }), { nil: undefined }),
        daemon: fc.boolean(),
      })
      .map(({ name, priority, daemon }) =>
        podThat(name, { ...(priority !== undefined && { priority }), ...(daemon && ofDaemonSet) }),
      )
    const pods = fc.uniqueArray(pod, { selector: podName, maxLength: 12 })
    fc.assert(
      fc.property(pods, (found) => {
        const order = podsToLeave(found, rules).map(podName)
        expect(podsToLeave([...found].reverse(), rules).map(podName)).toEqual(order)
        const staying = found.filter((one) => whyStays(one, rules) !== undefined)
        expect(order.length + staying.length).toBe(found.length)
      }),
      { numRuns: 200 },
    )
  })
})
