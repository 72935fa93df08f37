import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TrustRotation } from '../../api/kinds/resources.ts'
import { now, rotating, rotation } from './sample.fixture.ts'
import { certsData } from './as-data.ts'
import { sectionsOf } from './report.ts'
import {
  refreshPeriods,
  rotationLine,
  rotationLines,
  rotationSeverity,
  rotationText,
} from './rotations.ts'
import { upcomingEvents } from './upcoming.ts'

const lineOf = (each: TrustRotation): string => {
  const line = rotationLine(each)
  return `${rotationSeverity(line)}: ${rotationText(line, now)}`
}
const withStatus = (status: TrustRotation['status']): TrustRotation => ({
  ...rotation,
  ...(status && { status }),
})

describe('a rotation in one line', () => {
  const { status: _, ...unprocessed } = rotation
  const laggard = (name: string) => ({ name, since: '2026-11-16T14:00:00Z', why: 'NotReady' })
  const degraded = {
    type: 'Degraded',
    status: 'True' as const,
    reason: 'BadBundle',
    message: 'ConfigMap a/b: line 3 is no certificate',
  }

  it.each<[string, TrustRotation]>([
    [
      'soon: rotation kubelet-client: Preparing since 14:00, delayed by worker-3 (NotReady)',
      rotation,
    ],
    ['soon: rotation kubelet-client: no signer has processed it yet', unprocessed],
    [
      'well: rotation kubelet-client: Completed',
      withStatus({
        phase: 'Completed',
        phaseSince: '2026-11-16T14:00:00Z',
        nodes: { total: 4, trusting: 3, excused: 1 },
      }),
    ],
    [
      'well: rotation kubelet-client: Completing since 2026-11-15 14:00',
      withStatus({ phase: 'Completing', phaseSince: '2026-11-15T14:00:00Z' }),
    ],
    [
      'soon: rotation kubelet-client: Preparing, delayed by a (NotReady), b (NotReady), c (NotReady), 7 more',
      withStatus({
        phase: 'Preparing',
        nodes: { total: 20, trusting: 10, laggards: ['a', 'b', 'c', 'd'].map(laggard) },
      }),
    ],
    [
      'soon: rotation kubelet-client: Preparing, delayed by pool worker (its user data lacks the current CA)',
      withStatus({ phase: 'Preparing', userData: { total: 2, trusting: 1, laggards: ['worker'] } }),
    ],
    [
      'soon: rotation kubelet-client: Preparing, delayed by 2 nodes',
      withStatus({ phase: 'Preparing', nodes: { total: 2, trusting: 0 } }),
    ],
    [
      'urgent: rotation kubelet-client: Issuing, blocked: ConfigMap a/b: line 3 is no certificate',
      withStatus({ phase: 'Issuing', conditions: [degraded] }),
    ],
    [
      'urgent: rotation kubelet-client: blocked: ConfigMap a/b: line 3 is no certificate',
      withStatus({ conditions: [degraded] }),
    ],
  ])('%s', (text, each) => {
    expect(lineOf(each)).toBe(text)
  })

  it('never counts more delaying nodes than there are', () => {
    const count = fc.nat(50)
    fc.assert(
      fc.property(count, count, count, (total, trusting, excused) => {
        const { waitsFor } = rotationLine(withStatus({ nodes: { total, trusting, excused } }))
        expect(waitsFor).toBeGreaterThanOrEqual(0)
        expect(waitsFor).toBeLessThanOrEqual(total)
      }),
    )
  })

  it('shows the older rotation of a signer', () => {
    const created = (name: string, creationTimestamp: string): TrustRotation => ({
      ...rotation,
      metadata: { name, creationTimestamp },
    })
    const older = created('b', '2026-01-01T00:00:00Z')
    const later = created('a', '2026-01-02T00:00:00Z')
    for (const all of [
      [older, later],
      [later, older],
    ]) {
      expect([...rotationLines(all).values()].map(({ name }) => name)).toEqual(['b'])
    }
  })
})

describe('a cluster with a rotation', () => {
  const facts = { ...rotating, rotations: [rotation] }
  const sections = sectionsOf(facts)

  it('has the progress as data', () => {
    const data = certsData(facts, sections, []) as {
      trust: { signers: { rotation?: unknown }[]; leafs: { note?: string }[] }[]
    }
    expect(data.trust[0]?.signers[0]?.rotation).toEqual({
      name: 'kubelet-client',
      phase: 'Preparing',
      since: '2026-11-16T14:00:00Z',
      trustedBy: 'kubelet-client-ca',
      waitsFor: 1,
      laggards: [{ node: 'worker-3', why: 'NotReady' }],
    })
    expect(data.trust[0]?.leafs[0]?.note).toBe(
      'signed by an earlier signer until every node trusts the new one',
    )
  })

  it('shows a leaf certificate that is refreshed by time', () => {
    const { trustedBy: _, ...spec } = rotation.spec
    const timed = sectionsOf({ ...rotating, rotations: [{ ...rotation, spec }] })
    expect(timed[0]?.leafCertificates[0]?.note).toBe(
      'signed by an earlier signer until its refresh',
    )
  })

  it('shows a leaf certificate that waits for user data', () => {
    const { trustedBy: _, ...others } = rotation.spec
    const spec = { ...others, userData: { namespace: 'a', name: 'b' } }
    const waiting = sectionsOf({ ...rotating, rotations: [{ ...rotation, spec }] })
    expect(waiting[0]?.leafCertificates[0]?.note).toBe(
      'signed by an earlier signer until the user data of every pool contains the new one',
    )
  })

  it('lists first what a user must fix', () => {
    const conditions = [{ type: 'Degraded', status: 'True' as const, message: 'no permission' }]
    const stuck = { ...facts, rotations: [withStatus({ phase: 'Issuing', conditions })] }
    expect(upcomingEvents(stuck, sectionsOf(stuck))[0]).toEqual({
      severity: 'urgent',
      text: 'rotation kubelet-client: Issuing, blocked: no permission',
    })
  })

  it('is the same without a rotation', () => {
    const none = { ...rotating, rotations: [] }
    const data = (of: typeof none | typeof rotating): object =>
      certsData(of, sectionsOf(of), upcomingEvents(of, sectionsOf(of)))
    expect(data(none)).toEqual(data(rotating))
  })
})

describe('the refresh periods of a rotation', () => {
  const place = { namespace: 'ns', name: 'leaf' }
  const target = { ...place, usage: 'client', commonName: 'client' } as const
  const of = (spec: object): TrustRotation => ({ ...rotation, spec: { ...rotation.spec, ...spec } })

  it('exist for the signer and for each target', () => {
    const periods = refreshPeriods([
      of({ targets: [target, { ...target, name: 'b', refresh: '1h' }] }),
    ])
    expect([...periods].slice(-2)).toEqual([
      ['ns/leaf', 1_296_000_000],
      ['ns/b', 3_600_000],
    ])
  })

  it('do not exist for an invalid spec', () => {
    expect(
      refreshPeriods([of({ targets: [{ ...target, validity: '1h', refresh: '2h' }] })]),
    ).toEqual(new Map())
  })
})
