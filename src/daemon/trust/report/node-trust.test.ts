import { describe, expect, it } from 'vitest'
import type { NodeTrustItem } from '../../../api/kinds/node-trust.ts'
import { trustItems } from '../../../api/trust/items.ts'
import type { ItemDecision } from '../decide/decide-item.ts'
import type { ObservedConfig } from '../desired/followed-config.ts'
import type { Holding } from '../items/item.ts'
import type { ItemReport } from './node-trust.ts'
import { isCurrent, comparableStatus, trustLines, trustStatus } from './node-trust.ts'

const seen: ObservedConfig = {
  uid: 'u',
  generation: 3,
  version: '17',
  delivery: 'direct',
  digestsAnnotation: undefined,
  isComplete: true,
  isRotating: false,
}
const source = { kind: 'ControllerConfig', name: 'machine-config-controller' }
const now = '2026-01-01T00:00:00Z'

function report(
  decision: Partial<ItemDecision>,
  holdings: readonly Partial<Holding>[],
  more: Partial<ItemReport> = {},
): ItemReport {
  const item = trustItems.registryCAs
  const full = holdings.map((each) => ({ name: 'x', paths: [], certificates: [], ...each }))
  return {
    source,
    decision: { check: 'p', item, action: 'nothing', state: 'Current', ...decision },
    observed: { holdings: full },
    ...more,
  }
}

const states = (reports: readonly ItemReport[]): string[] =>
  trustLines(reports).map(({ name, state, message = '' }) => `${name} ${state} ${message}`.trim())

describe('the lines of NodeTrust', () => {
  it('report the state of each part of an item', () => {
    const parts = [
      { name: 'good', desired: '1', digest: '1' },
      { name: 'refused', desired: '2', problem: 'no name' },
      { name: 'broken', desired: '3' },
      { name: 'late', desired: '4' },
    ]
    const failures = new Map([['broken', 'EIO']])
    const decision = { state: 'Failed', message: 'broken: EIO' } as const
    expect(states([report(decision, parts, { failures })])).toEqual([
      'good Current',
      'refused Failed no name',
      'broken Failed EIO',
      'late Failed broken: EIO',
    ])
  })

  it('contain one for an item that could not be read', () => {
    const { observed: _, ...unseen } = report({ state: 'Failed', message: 'EIO' }, [])
    expect(states([unseen])).toEqual(['registry-cas Failed EIO'])
  })

  it('contain the earliest expiry, and are cut to the limits of the API', () => {
    const certificates = ['2027-01-01T00:00:00Z', '2026-06-01T00:00:00Z'].map((notAfter) => ({
      fingerprint: 'f',
      subject: 's',
      notAfter,
    }))
    const [line] = trustLines([
      report({ state: 'Failed', message: 'x'.repeat(5000) }, [{ certificates }]),
    ])
    expect(line?.earliestNotAfter).toBe('2026-06-01T00:00:00Z')
    expect(line?.message).toHaveLength(2048)
  })
})

describe('a node with very many registries', () => {
  const certificates = [{ fingerprint: 'f'.repeat(64), subject: 'CN=x'.repeat(10), notAfter: now }]
  const digest = 'd'.repeat(64)
  const hosts = (count: number): Partial<Holding>[] =>
    Array.from({ length: count }, (_, i) => ({
      name: `registry-ca/registry-${i}.example.com:5000`,
      paths: [`/etc/docker/certs.d/registry-${i}.example.com:5000/ca.crt`],
      certificates,
      digest,
      desired: i === 7 ? 'another' : digest,
    }))
  const linesOf = (count: number): readonly NodeTrustItem[] =>
    trustStatus(
      {
        lines: trustLines([report({ state: 'Lagging', message: 'x'.repeat(2000) }, hosts(count))]),
      },
      seen,
      undefined,
      now,
    ).items ?? []

  it('has a NodeTrust that fits into the API, with every host and digest', () => {
    const [few, many] = [linesOf(500), linesOf(1600)]
    expect(few.every((line) => line.certificates?.length === 1)).toBe(true)
    expect(JSON.stringify(many).length).toBeLessThan(600_000)
    expect(many).toHaveLength(1600)
    expect(many[0]).toEqual({
      name: 'registry-ca/registry-0.example.com:5000',
      state: 'Current',
      wantedDigest: digest,
      actualDigest: digest,
      earliestNotAfter: now,
    })
    expect(many[7]).toMatchObject({ state: 'Lagging', message: 'x'.repeat(100) })
  })
})

describe('the Current condition', () => {
  const line = (more: Partial<NodeTrustItem>): NodeTrustItem => ({
    name: 'cloud-ca',
    state: 'Current',
    ...more,
  })
  const conditionOf = (...lines: readonly NodeTrustItem[]): string => {
    const [condition] = trustStatus({ lines }, seen, undefined, now).conditions ?? []
    return `${condition?.status} ${condition?.reason}: ${condition?.message}`
  }

  it.each([
    [
      [line({}), line({ state: 'NotGiven' })],
      'True AsWanted: all 2 items are current (direct delivery)',
    ],
    [[line({}), line({ state: 'Lagging', message: 'soon' })], 'False Lagging: cloud-ca: soon'],
    [
      [line({ state: 'Lagging', message: 'soon' }), line({ state: 'Failed', message: 'EIO' })],
      'False Failed: cloud-ca: soon; cloud-ca: EIO',
    ],
    [
      [line({ state: 'Rendered', wantedDigest: 'x', actualDigest: 'y' })],
      'False LeftToMachineConfigs: cloud-ca: differs from the desired state',
    ],
    [
      [line({ state: 'Rendered', wantedDigest: 'x', actualDigest: 'x' })],
      'True AsWanted: all 1 items are current (direct delivery)',
    ],
  ])('of %j is %s', (lines, expected) => {
    expect(conditionOf(...lines)).toBe(expected)
    expect(lines.every(isCurrent)).toBe(expected.startsWith('True'))
  })

  it('keeps its time while it does not change', () => {
    const first = trustStatus({ lines: [line({})] }, seen, undefined, now)
    const second = trustStatus(
      { lines: [line({})] },
      { ...seen, version: '18' },
      first,
      '2026-02-01T00:00:00Z',
    )
    expect(second.conditions?.[0]?.lastTransitionTime).toBe(now)
    expect(comparableStatus(second)).toEqual(comparableStatus(first))
  })
})

describe('the turn to restart the kubelet', () => {
  const lines: readonly NodeTrustItem[] = []
  const [first, later] = ['2026-01-01T00:00:00Z', '2026-01-01T00:05:00Z']

  it('is requested by the node, with the time of the first request', () => {
    const requesting = trustStatus({ lines, requestedAt: first }, seen, undefined, now)
    expect(requesting.kubeletRestart).toEqual({ requestedAt: first })
    expect(comparableStatus(requesting)).not.toEqual(
      comparableStatus(trustStatus({ lines }, seen, undefined, now)),
    )
  })

  it('is kept by a restarted daemon', () => {
    const before = { kubeletRestart: { requestedAt: first, startedAt: first } }
    const again = trustStatus({ lines, requestedAt: later }, seen, before, now)
    expect(again.kubeletRestart).toEqual({ requestedAt: first, startedAt: first })
  })

  it('is returned when it is no longer requested', () => {
    const before = { kubeletRestart: { requestedAt: first, startedAt: first } }
    expect(trustStatus({ lines }, seen, before, now)).not.toHaveProperty('kubeletRestart')
  })
})
