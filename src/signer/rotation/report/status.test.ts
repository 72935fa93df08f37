import { describe, expect, it } from 'vitest'
import {
  atRest,
  authority,
  bundle,
  day,
  lacking,
  minute,
  publishedAs,
  rotationOf,
  signer,
  spec,
  start,
  target,
  trusting,
} from '../decide/decide-facts.fixture.ts'
import type { TrustRotation, TrustRotationStatus } from '../../../api/kinds/trust-rotation.ts'
import { planCertificates } from '../decide/plan-certificates.ts'
import type { CertificateFacts } from '../facts/facts.ts'
import { conditionsOf } from './conditions.ts'
import { statusOf } from './status.ts'

const now = start + 10 * day
const old = authority('1')
const current = authority('2', start + 5 * day)
const rotating = {
  now,
  signer: signer(current, old),
  bundle: bundle(old, current),
  published: publishedAs(old, current),
}

function reported(
  changes: Partial<CertificateFacts>,
  status?: TrustRotationStatus,
  refusals: readonly string[] = [],
): TrustRotationStatus {
  const facts = atRest(changes)
  const object: TrustRotation = { metadata: { name: 'kubelet', generation: 3 }, spec }
  const plan = planCertificates(facts)
  const reports = conditionsOf(facts, plan, refusals)
  return statusOf({ ...object, ...(status && { status }) }, facts, plan, reports)
}

const conditions = (...given: Parameters<typeof reported>): Record<string, string> =>
  Object.fromEntries(
    (reported(...given).conditions ?? []).map(({ type, status, reason, message }) => [
      type,
      `${status} ${reason}: ${message}`,
    ]),
  )

describe('the status', () => {
  it('of a settled rotation', () => {
    expect(reported({ now })).toEqual({
      observedGeneration: 3,
      phase: 'Completed',
      phaseSince: '2026-01-11T00:00:00Z',
      current: {
        fingerprint: 'fingerprint of 1',
        subject: 'CN=keys_signer@1',
        notBefore: '2026-01-01T00:00:00Z',
        notAfter: '2027-01-01T00:00:00Z',
      },
      targets: ['one', 'two'].map((name) => ({
        namespace: 'keys',
        name,
        signedBy: 'fingerprint of 1',
        serial: '01',
        notBefore: '2026-01-01T00:00:00Z',
        notAfter: '2026-01-31T00:00:00Z',
      })),
      nodes: { total: 3, trusting: 3, holdingOld: 0, excused: 0 },
      nextRotation: '2026-10-20T00:00:00Z',
      conditions: [
        ['Trusted', 'True', 'every node trusts the current CA'],
        ['Progressing', 'False', 'the current CA is the only one and has signed every certificate'],
        ['Degraded', 'False', ''],
      ].map(([type, status, message]) => ({
        type,
        status,
        reason: 'AsExpected',
        message,
        lastTransitionTime: '2026-01-11T00:00:00Z',
      })),
    })
  })

  it('does not change with time alone', () => {
    const first = reported({ now })
    expect(reported({ now: now + day }, first)).toEqual(first)
  })

  it('contains the start of the phase', () => {
    const first = reported({ now })
    expect(reported({ ...rotating, now: now + day }, first).phaseSince).toBe('2026-01-12T00:00:00Z')
  })

  it('names lagging nodes and why former CAs are needed', () => {
    const { nodes, retiring } = reported({ ...rotating, nodes: lacking(3, 1) })
    expect(nodes).toEqual({
      total: 3,
      trusting: 2,
      holdingOld: 0,
      excused: 0,
      laggards: [{ name: 'b', since: '2026-01-01T00:00:00Z', why: 'NotReady' }],
    })
    expect(retiring).toEqual([
      {
        fingerprint: 'fingerprint of 1',
        subject: 'CN=keys_signer@1',
        notAfter: '2027-01-01T00:00:00Z',
        neededBy: [
          'Secret keys/one has a certificate of it',
          'Secret keys/two has a certificate of it',
          '1 of 3 nodes does not trust the current CA yet',
        ],
      },
    ])
  })

  it('names holders of a former CA only once it is removed from the bundle', () => {
    const nodes = {
      ...trusting(3),
      holdingOld: 3,
      holders: [{ name: 'a', since: start, why: 'still has a former CA' }],
    }
    expect(reported({ ...rotating, nodes }).nodes).not.toHaveProperty('laggards')
    expect(reported({ now, nodes }).nodes?.laggards).toMatchObject([{ name: 'a' }])
  })
})

describe('the conditions', () => {
  it('report what the rotation waits for', () => {
    const who =
      '1 of 3 nodes does not trust the current CA yet: b (since 2026-01-01T00:00:00Z: NotReady)'
    expect(conditions({ ...rotating, nodes: lacking(3, 1) })).toEqual({
      Trusted: `False WaitingForNodes: ${who}`,
      Progressing: `True WaitingForNodes: ${who}`,
      Degraded: 'False AsExpected: ',
    })
    const settling = { ...trusting(3), trusting: 2, settling: 1, settlesAt: now + minute }
    expect(conditions({ ...rotating, nodes: settling })).toMatchObject({
      Trusted: 'False Settling: 1 of 3 nodes have the current CA, and may still be loading it',
      Progressing: 'True Settling: 1 of 3 nodes have it, and may still be loading it',
    })
    expect(conditions({ ...rotating, published: publishedAs(old) })).toMatchObject({
      Progressing: 'True Settling: the current CA is not published yet in keys/client-ca',
    })
    expect(conditions(rotating)).toMatchObject({
      Progressing: 'True Issuing: the current CA is signing certificates',
    })
  })

  it('report why a former CA stays', () => {
    const lately = target(current, { notBefore: now - minute })
    expect(conditions({ ...rotating, targets: [lately, lately] })).toMatchObject({
      Progressing:
        'True Settling: the former CA stays: a leaf certificate that was replaced may still be presented until 2026-01-11T00:09:01Z: clients such as kube-apiserver read their files only every 5 minutes (spec.leafSettle)',
    })
    const long = target(current, { notBefore: now - day, hostnames: 'two' })
    expect(conditions({ ...rotating, targets: [long, long] })).toMatchObject({
      Progressing: 'True Retiring: the former CA is being removed',
    })
    const nodes = {
      ...trusting(3),
      holdingOld: 2,
      holders: [{ name: 'a', since: start, why: 'x' }],
    }
    expect(conditions({ now, nodes })).toMatchObject({
      Progressing:
        'True Retiring: 2 of 3 nodes still have a CA that is no longer published: a (since 2026-01-01T00:00:00Z: x) and 1 more',
    })
  })

  it('report nodes that have not reported the only CA', () => {
    expect(conditions({ now, nodes: lacking(3, 1) }).Progressing).toBe(
      'True WaitingForNodes: 1 of 3 nodes does not trust the current CA yet: b (since 2026-01-01T00:00:00Z: NotReady)',
    )
    const settling = { ...trusting(3), trusting: 2, settling: 1, settlesAt: now + minute }
    expect(conditions({ now, nodes: settling }).Progressing).toBe(
      'True Settling: 1 of 3 nodes have it, and may still be loading it',
    )
  })

  it('report what the rotation waits for in user data', () => {
    const { trustedBy: _, ...others } = spec
    const rotation = rotationOf({ ...others, userData: { namespace: 'keys', name: 'data' } })
    const facts = { ...rotating, rotation, nodes: undefined }
    const has = (...pools: string[]): CertificateFacts['userData'] =>
      new Map(
        ['master', 'worker'].map((pool) => [
          pool,
          new Map(pools.includes(pool) ? [[current.fingerprint, current.notBefore]] : []),
        ]),
      )
    const lacks = 'the user data of 1 of 2 pools lacks the current CA: worker'
    expect(conditions({ ...facts, userData: has('master') })).toEqual({
      Trusted: `False WaitingForUserData: ${lacks}`,
      Progressing: `True WaitingForUserData: ${lacks}`,
      Degraded: 'False AsExpected: ',
    })
    expect(reported({ ...facts, userData: has('master') }).userData).toEqual({
      total: 2,
      trusting: 1,
      laggards: ['worker'],
      settlesAt: '2026-01-13T00:00:00Z',
    })
    const unknown =
      'the operator has not recorded the CAs in the user data of pools yet in ConfigMap keys/data'
    expect(conditions(facts)).toMatchObject({
      Trusted: `False WaitingForUserData: ${unknown}`,
      Progressing: `True Settling: ${unknown}`,
    })
    const settles =
      'machines may start with user data that lacks the current CA until 2026-01-13T00:00:00Z (spec.userData.settle)'
    expect(conditions({ ...facts, userData: has('master', 'worker') })).toMatchObject({
      Trusted: `False Settling: ${settles}`,
      Progressing: `True Settling: ${settles}`,
    })
    const long = target(current, { notBefore: now - day, hostnames: 'two' })
    const done = { ...facts, targets: [long, long], userData: has('master', 'worker') }
    expect(conditions(done)).toMatchObject({
      Trusted: 'True AsExpected: the user data of every pool contains the current CA',
      Progressing: 'True Retiring: the former CA is being removed',
    })
    const removed = {
      signer: signer(current),
      bundle: { ...bundle(current), own: [old.fingerprint, current.fingerprint] },
      published: publishedAs(current),
    }
    expect(conditions({ ...done, ...removed, userData: has('master') }).Progressing).toBe(
      `True WaitingForUserData: ${lacks}`,
    )
    const both = [current, old].map(({ fingerprint }) => [fingerprint, start] as const)
    const userData = new Map([...has('master')!, ['worker', new Map(both)]])
    expect(conditions({ ...done, ...removed, userData }).Progressing).toBe(
      'True Retiring: the user data of 1 pool still contains a CA that was removed: worker',
    )
  })

  it('report excused nodes, and that nodes are not checked', () => {
    const nodes = { ...trusting(3), trusting: 2, excused: 1 }
    expect(conditions({ now, nodes }).Trusted).toBe(
      'True AsExpected: every node trusts the current CA, except 1 that spec.override excuses',
    )
    const { trustedBy: _, ...timed } = spec
    const rotation = rotationOf(timed)
    expect(conditions({ now, rotation, nodes: undefined }).Trusted).toBe(
      'Unknown AsExpected: nodes are not checked: spec.trustedBy is not set',
    )
  })

  it('report problems that a user must fix', () => {
    const bad = { ...bundle(old), problem: 'line 1: torn' }
    expect(conditions({ now, bundle: bad }).Degraded).toMatch(/^True BadBundle: ConfigMap keys\/ca/)
    expect(conditions({ now }, undefined, ['the API server refused it']).Degraded).toBe(
      'True Refused: the API server refused it',
    )
  })
})
