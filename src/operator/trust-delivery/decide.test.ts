import { expect, it } from 'vitest'
import type { ConditionReport } from '../../api/conditions.ts'
import { decide } from './decide.ts'
import type { TrustDeliveryFacts } from './facts.ts'
import type { Laggard } from './tally.ts'

const decideCondition = (
  facts: Pick<TrustDeliveryFacts, 'hasDigests' | 'nodes' | 'lacking'>,
): ConditionReport =>
  decide({ now: at, isConfigured: true, items: [], condition: undefined, ...facts }).condition!

const at = Date.parse('2026-11-16T14:02:00Z')
const type = 'machinist.dev/TrustDelivered'
const lacking = (named: readonly Laggard[], behind = named.length, failed = 0) => ({
  item: 'kubelet-client-ca' as const,
  behind,
  failed,
  named,
})

it('TrustDelivered is True if no node lags', () => {
  expect(decideCondition({ hasDigests: true, nodes: 9, lacking: [] })).toEqual({
    type,
    status: 'True',
    reason: 'Delivered',
    message: 'every node has the desired version of every trust item',
  })
})

it('nodes that lag are named, with the most likely cause', () => {
  const named: Laggard[] = [
    { node: 'worker-2', state: 'Lagging', since: at, notReadySince: at - 60_000 },
    { node: 'worker-3', state: 'Unknown', since: at },
    { node: 'worker-4', state: 'Lagging', since: at, why: 'waits for its turn to restart' },
    { node: 'worker-5', state: 'Lagging', since: at },
    { node: 'worker-6', state: 'Unknown', since: at, notReadySince: 0 },
  ]
  expect(decideCondition({ hasDigests: true, nodes: 9, lacking: [lacking(named, 7)] })).toEqual({
    type,
    status: 'False',
    reason: 'NodesLag',
    message:
      '7 of 9 nodes do not have kubelet-client-ca yet: worker-2 (NotReady since 2026-11-16T14:01:00Z), ' +
      'worker-3 (not reported, since 2026-11-16T14:02:00Z), ' +
      'worker-4 (since 2026-11-16T14:02:00Z: waits for its turn to restart), ' +
      'worker-5 (since 2026-11-16T14:02:00Z), worker-6 (NotReady) and 2 more',
  })
})

it('a failure has another reason than a lag', () => {
  const named: Laggard[] = [
    { node: 'worker-1', state: 'Failed', since: at, why: `disk full ${'x'.repeat(500)}` },
  ]
  const other = { item: 'cloud-ca' as const, behind: 1, failed: 0, named }
  const { reason, message } = decideCondition({
    hasDigests: true,
    nodes: 2,
    lacking: [lacking(named, 1, 1), other],
  })
  expect(reason).toBe('NodesFailed')
  expect(message).toMatch(
    /^1 of 2 nodes does not have kubelet-client-ca yet: worker-1 \(failed since 2026-11-16T14:02:00Z: disk full x+…\); 1 of 2 nodes does not have cloud-ca yet: /,
  )
  expect(message!.length).toBeLessThan(600)
})

it('TrustDelivered is Unknown without digests', () => {
  expect(decideCondition({ hasDigests: false, nodes: 9, lacking: [] })).toMatchObject({
    status: 'Unknown',
    reason: 'DigestsMissing',
  })
})

it('the condition is pending if it differs from the current one', () => {
  const facts: TrustDeliveryFacts = {
    now: at,
    isConfigured: true,
    hasDigests: true,
    nodes: 2,
    items: [],
    lacking: [],
    condition: undefined,
  }
  const { condition } = decide(facts)
  const pending = (current: TrustDeliveryFacts['condition']): string =>
    decide({ ...facts, condition: current }).pending
  expect(pending(undefined)).toBe('transition')
  expect(pending({ ...condition!, status: 'False' })).toBe('transition')
  expect(pending({ ...condition!, message: 'all nodes' })).toBe('more')
  expect(pending(condition)).toBe('none')
  expect(decide({ ...facts, isConfigured: false })).toEqual({ pending: 'none', isLagging: false })
})
