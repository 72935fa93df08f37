import { describe, expect, it } from 'vitest'
import type { TrustRotationSpec } from '../../../api/kinds/trust-rotation.ts'
import type { UserDataRecord } from '../../../fleet/rotation/user-data-record.ts'
import type { Authority, CertificateFacts } from '../facts/facts.ts'
import {
  atRest,
  authority,
  bundle,
  day,
  hour,
  lacking,
  rotationOf,
  signer,
  spec as nodesSpec,
  start,
  target,
  trusting,
} from './decide-facts.fixture.ts'
import type { CertificatePlan } from './plan-certificates.ts'
import { planCertificates } from './plan-certificates.ts'

const { trustedBy: _, publishedIn: __, ...rest } = nodesSpec
const spec: TrustRotationSpec = {
  ...rest,
  targets: [{ ...nodesSpec.targets![1]!, validity: '8760h', refresh: '7008h' }],
  userData: { namespace: 'keys', name: 'user-data', settle: '24h' },
}
const rotation = rotationOf(spec)
const old = authority('1')
const renewed = start + 5 * day
const current = authority('2', renewed)
const leafOf = (by: Authority, notBefore = start): CertificateFacts['targets'][number] =>
  target(by, { notBefore, life: 365 * day, hostnames: 'two' })

/** The CAs in the user data of each pool, since the time when the CA was created. */
const has = (pools: Readonly<Record<string, readonly Authority[]>>): UserDataRecord =>
  new Map(
    Object.entries(pools).map(([name, all]) => [
      name,
      new Map(all.map(({ fingerprint, notBefore }) => [fingerprint, notBefore])),
    ]),
  )
const both = has({ master: [old, current], worker: [old, current] })

/** The new CA is in the bundle. */
const rotating = (changes: Partial<CertificateFacts>): CertificateFacts =>
  atRest({
    rotation,
    now: renewed + 2 * day,
    signer: signer(current, old),
    bundle: bundle(old, current),
    published: [],
    targets: [leafOf(old)],
    nodes: undefined,
    ...changes,
  })

const summary = ({ phase, gate, writes }: CertificatePlan): unknown => ({
  phase,
  waitsFor: gate.waitsFor,
  writes: writes.map((write) => ('action' in write ? [write.type, write.action] : write.type)),
})
const waits = (why: string, phase = 'Preparing'): unknown => ({
  phase,
  waitsFor: [why],
  writes: [],
})

describe('a new CA with user data', () => {
  it('signs once the user data of every pool has contained it for the settle time', () => {
    expect(summary(planCertificates(rotating({ userData: both })))).toEqual({
      phase: 'Prepared',
      waitsFor: [],
      writes: [['target', 'issue']],
    })
    expect(planCertificates(rotating({ userData: both })).writes).toMatchObject([
      { by: 'current', why: 'signed by a former CA' },
    ])
  })

  it('waits for pools whose user data lacks it', () => {
    const userData = has({ infra: [old], master: [old, current], worker: [] })
    expect(summary(planCertificates(rotating({ userData })))).toEqual(
      waits('the user data of 2 of 3 pools lacks the current CA: infra, worker'),
    )
    const many = has(Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`p${i}`, [old]])))
    expect(summary(planCertificates(rotating({ userData: many })))).toEqual(
      waits('the user data of 7 of 7 pools lacks the current CA: p0, p1, p2, p3, p4 and 2 more'),
    )
  })

  it('waits until machines with older user data have started', () => {
    const plan = planCertificates(rotating({ userData: both, now: renewed + 23 * hour }))
    expect(summary(plan)).toEqual(
      waits(
        'machines may start with user data that lacks the current CA until 2026-01-07T00:00:00Z (spec.userData.settle)',
      ),
    )
    expect(plan.at).toBe(renewed + day)
    const then = planCertificates(rotating({ userData: both, now: renewed + day }))
    expect(then.gate.isOpen).toBe(true)
  })

  it('waits for the pool that got it last, and for the settle time if no pool has user data', () => {
    const late = new Map([...both, ['infra', new Map([[current.fingerprint, renewed + 2 * day]])]])
    expect(planCertificates(rotating({ userData: late })).at).toBe(renewed + 3 * day)
    const none = { userData: new Map(), now: renewed + hour }
    expect(planCertificates(rotating(none)).at).toBe(renewed + day)
    expect(planCertificates(rotating({ ...none, now: renewed + day })).gate.isOpen).toBe(true)
  })

  it('waits for the record of the operator', () => {
    expect(summary(planCertificates(rotating({ userData: undefined })))).toEqual(
      waits(
        'the operator has not recorded the CAs in the user data of pools yet in ConfigMap keys/user-data',
      ),
    )
  })

  it('waits for nodes as well, if they report', () => {
    const rotation = rotationOf({ ...spec, trustedBy: 'api-server-ca' })
    const facts = { rotation, userData: both, previousNodes: trusting(3) }
    const plan = planCertificates(rotating({ ...facts, nodes: lacking(3, 1) }))
    expect(plan.gate.waitsFor).toEqual(['1 of 3 nodes does not trust the current CA yet'])
    expect(planCertificates(rotating({ ...facts, nodes: trusting(3) })).gate.isOpen).toBe(true)
  })

  it('is not delayed if it is the first one', () => {
    const first = { signer: signer(current), bundle: bundle(current), now: renewed + hour }
    const userData = has({ worker: [] })
    expect(
      summary(planCertificates(rotating({ ...first, userData, targets: [undefined] }))),
    ).toEqual({
      phase: 'Preparing',
      waitsFor: ['the user data of 1 of 1 pool lacks the current CA: worker'],
      writes: [['target', 'issue']],
    })
    const issued = { ...first, targets: [leafOf(current, renewed)] }
    expect(summary(planCertificates(rotating({ ...issued, userData })))).toMatchObject({
      phase: 'Completing',
    })
    const known = has({ worker: [current] })
    expect(summary(planCertificates(rotating({ ...issued, userData: known })))).toEqual({
      phase: 'Completed',
      waitsFor: [],
      writes: [],
    })
  })
})

describe('while a new CA waits for user data', () => {
  const userData = has({ worker: [old] })

  it('a certificate that is due is signed by the CA in use', () => {
    const targets = [leafOf(old, start - 300 * day)]
    expect(planCertificates(rotating({ userData, targets })).writes).toMatchObject([
      { type: 'target', action: 'issue', by: 'previous' },
    ])
  })

  it('an unusable certificate is replaced by the CA that the user data of more pools contains', () => {
    const broken = { ...target(old), leaf: { problem: 'torn' } }
    const issued = (userData: UserDataRecord | undefined): unknown =>
      planCertificates(rotating({ userData, targets: [broken] })).writes
    expect(issued(userData)).toMatchObject([{ by: 'previous' }])
    expect(issued(undefined)).toMatchObject([{ by: 'previous' }])
    expect(issued(has({ a: [old], b: [current], c: [current] }))).toMatchObject([{ by: 'current' }])
  })

  it('a certificate of a CA without a key stays', () => {
    const installer = authority('installer')
    const targets = [leafOf(installer)]
    const facts = { userData, targets, bundle: bundle(installer, old, current) }
    expect(planCertificates(rotating(facts)).writes).toEqual([])
  })
})

describe('a former CA', () => {
  const targets = [leafOf(current, renewed + 2 * day)]
  const later = { targets, userData: both, now: renewed + 4 * day }

  it('leaves the bundle after leafSettle, and is gone when no user data contains it', () => {
    const early = planCertificates(rotating({ ...later, now: renewed + 2 * day }))
    expect(early.phase).toBe('Completing')
    expect(early.retiring[0]?.neededBy).toEqual([
      expect.stringMatching(/^a leaf certificate that was replaced may still be presented until/),
    ])
    expect(planCertificates(rotating(later)).writes).toMatchObject([
      { type: 'bundle', authorities: [current] },
    ])
    const gone = { ...bundle(current), own: [old.fingerprint, current.fingerprint] }
    const last = { ...later, signer: signer(current), bundle: gone }
    expect(planCertificates(rotating(last)).phase).toBe('Completing')
    const userData = has({ master: [current], worker: [current] })
    expect(planCertificates(rotating({ ...last, userData })).phase).toBe('Completed')
  })

  it('stays while the user data of a pool lacks the current one', () => {
    const userData = has({ master: [old, current], worker: [old] })
    const plan = planCertificates(rotating({ ...later, userData }))
    expect(plan.writes).toEqual([])
    expect(plan.retiring[0]?.neededBy).toEqual([
      'the user data of 1 of 2 pools lacks the current CA: worker',
    ])
  })

  it('signs again after a rotation back, without another settle time', () => {
    const back = { signer: signer(old, current), now: renewed + 2 * day + hour }
    const plan = planCertificates(rotating({ ...later, ...back }))
    expect(plan.writes).toMatchObject([{ type: 'target', action: 'issue', by: 'current' }])
  })
})
