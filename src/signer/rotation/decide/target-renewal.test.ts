import { describe, expect, it } from 'vitest'
import type { CertificateMetadata, CertificateFacts, TargetFacts } from '../facts/facts.ts'
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
} from './decide-facts.fixture.ts'
import { planCertificates } from './plan-certificates.ts'
import type { TargetStep } from './target-renewal.ts'

const now = start + 10 * day
const old = authority('1')
const current = authority('2', start + 5 * day)
const second = target(old, { hostnames: 'two' })

/** The step for the first target. */
const step = (found: TargetFacts | undefined, facts: Partial<CertificateFacts> = {}): TargetStep =>
  planCertificates(atRest({ now, targets: [found, second], ...facts })).steps[0]!

const issued = (why: string, by = 'current'): object => ({ action: 'issue', by, why })

const withMetadata = (changes: Partial<CertificateMetadata>): TargetFacts => {
  const given = target(old)
  return { ...given, metadata: { ...given.metadata, ...changes } }
}

describe('a target is renewed', () => {
  it('if it is missing or unusable', () => {
    expect(step(undefined)).toEqual(issued("secret doesn't exist"))
    const damaged = { ...target(old), leaf: { problem: 'tls.crt is missing' } }
    expect(step(damaged)).toEqual(issued('tls.crt is missing'))
    expect(step(target(old, { life: 9 * day }))).toEqual(issued('already expired'))
    expect(step(target(old, { notBefore: now + day }))).toEqual(
      issued('not valid before 2026-01-12T00:00:00Z: a clock was ahead'),
    )
  })

  it('at its refresh time', () => {
    expect(step(target(old))).toEqual({ action: 'nothing', at: start + 15 * day + 1 })
    const late = { now: start + 15 * day + 1 }
    expect(step(target(old), late)).toEqual(issued('past its refresh time 2026-01-16T00:00:00Z'))
    expect(step(target(old, { life: 11 * day }))).toEqual(
      issued('past its latest possible time 2026-01-09T19:12:00Z'),
    )
  })

  it('if a user requests it by its annotations', () => {
    expect(step(withMetadata({ notAfter: undefined }))).toEqual(issued('missing notAfter'))
    expect(step(withMetadata({ notBefore: 'x' }))).toEqual(
      issued('bad expiry: notBefore is not a time'),
    )
    expect(step(withMetadata({ issuer: undefined }))).toEqual(issued('missing issuer name'))
  })

  it('if it differs from its spec', () => {
    const given = target(old)
    const leaf = { ...given.leaf, differs: 'it is not for a client' } as TargetFacts['leaf']
    expect(step({ ...given, leaf })).toEqual(issued('it is not for a client'))
  })

  it('if its CA is not in the bundle', () => {
    expect(step(target(authority('a stranger')))).toEqual(issued('issuer not in ca bundle'))
    expect(step(target(undefined))).toEqual(issued('issuer not in ca bundle'))
  })

  it('not for a missing label, which is restored', () => {
    expect(step(withMetadata({ type: 'other' }))).toMatchObject({ action: 'set-metadata' })
    const bare = { targets: [target(old), target(old)] }
    expect(planCertificates(atRest({ now, ...bare })).writes).toEqual([
      { type: 'target', index: 1, action: 'set-metadata' },
    ])
  })

  it('only after it expires with renew WhenExpired', () => {
    const rotation = rotationOf({ ...spec, renew: 'WhenExpired' })
    const late = { rotation, now: start + 29 * day }
    expect(step(withMetadata({ issuer: undefined, type: 'x' }), late)).toEqual({
      action: 'nothing',
      at: start + 30 * day + 1,
    })
    expect(step(target(old), { rotation, now: start + 31 * day })).toEqual(
      issued('already expired'),
    )
  })
})

describe('the CA that signs', () => {
  const rotating = {
    signer: signer(current, old),
    bundle: bundle(old, current),
    published: publishedAs(old, current),
  }
  const waiting = { ...rotating, nodes: lacking(3, 1) }

  it('is the current one as soon as all nodes trust it', () => {
    expect(step(target(old), rotating)).toEqual(issued('signed by a former CA'))
    expect(step(target(old), { ...rotating, nodes: trusting(0) })).toMatchObject({ by: 'current' })
  })

  it('is none before that if the leaf certificate is valid', () => {
    expect(step(target(old), waiting)).toEqual({ action: 'nothing', at: start + 15 * day + 1 })
    const unpublished = { ...rotating, published: publishedAs(old) }
    expect(step(target(old), unpublished)).toMatchObject({ action: 'nothing' })
    const settling = { ...trusting(3), trusting: 2, settling: 1, settlesAt: now + minute }
    expect(step(target(old), { ...rotating, nodes: settling })).toMatchObject({ action: 'nothing' })
  })

  it('is the previous one if a certificate is needed and a node does not trust the current one', () => {
    expect(step(undefined, waiting)).toEqual(issued("secret doesn't exist", 'previous'))
    expect(step(withMetadata({ issuer: undefined }), waiting)).toEqual(
      issued('missing issuer name', 'previous'),
    )
    expect(step(target(old), { ...waiting, now: start + 16 * day })).toEqual(
      issued('past its refresh time 2026-01-16T00:00:00Z', 'previous'),
    )
  })

  describe('after a rotation back before every node trusted the new CA', () => {
    const back = {
      ...rotating,
      signer: signer(old, current),
      nodes: lacking(3, 1),
      previousNodes: lacking(3, 1),
    }

    it('is the CA of the current leaf certificate, not the younger one', () => {
      expect(step(withMetadata({ issuer: undefined }), back)).toEqual(issued('missing issuer name'))
      expect(step(target(old), { ...back, now: start + 16 * day })).toEqual(
        issued('past its refresh time 2026-01-16T00:00:00Z'),
      )
    })

    it('is the one that fewer nodes lack, otherwise the older one, for a missing leaf certificate', () => {
      expect(step(undefined, back)).toEqual(issued("secret doesn't exist"))
      const known = { ...back, nodes: lacking(3, 2), previousNodes: lacking(3, 1) }
      expect(step(undefined, known)).toEqual(issued("secret doesn't exist", 'previous'))
    })

    it('is the previous one if every node is known to trust it', () => {
      const trusted = { ...back, previousNodes: trusting(3) }
      expect(step(withMetadata({ issuer: undefined }), trusted)).toEqual(
        issued('missing issuer name', 'previous'),
      )
    })
  })

  it('is none for a valid leaf certificate of a third CA until nodes trust one that can sign', () => {
    const third = authority('0')
    const facts = { ...waiting, bundle: bundle(third, old, current) }
    const requested = {
      ...target(third),
      metadata: { ...target(third).metadata, issuer: undefined },
    }
    expect(step(requested, { ...facts, previousNodes: lacking(3, 1) })).toMatchObject({
      action: 'wait',
    })
    expect(step(requested, { ...facts, previousNodes: trusting(3) })).toMatchObject({
      by: 'previous',
    })
  })

  it('is the current one if there is no other and the leaf certificate is unusable', () => {
    const alone = { ...waiting, signer: signer(current) }
    expect(step(undefined, alone)).toEqual(issued("secret doesn't exist"))
    expect(step(target(old, { life: 9 * day }), alone)).toEqual(issued('already expired'))
    expect(step(target(authority('a stranger')), alone)).toEqual(issued('issuer not in ca bundle'))
  })

  it('is none if there is no other and the leaf certificate is valid', () => {
    const alone = { ...waiting, signer: signer(current), now: start + 16 * day }
    expect(step(target(old), alone)).toEqual({
      action: 'wait',
      why: 'past its refresh time 2026-01-16T00:00:00Z; 1 of 3 nodes does not trust the current CA yet',
    })
    expect(step(withMetadata({ issuer: undefined }), { ...alone, now })).toMatchObject({
      action: 'wait',
    })
  })

  it('is never an expired one', () => {
    const ended = authority('9', start - 400 * day)
    const facts = {
      signer: signer(ended, old),
      bundle: bundle(ended, old),
      published: publishedAs(ended, old),
    }
    expect(step(undefined, facts)).toEqual(issued("secret doesn't exist", 'previous'))
    const { writes } = planCertificates(atRest({ now, ...facts, targets: [undefined, undefined] }))
    expect(writes.find(({ type }) => type === 'bundle')).toMatchObject({ authorities: [old] })
  })

  it('is never one that the bundle lacks', () => {
    const missing = { signer: signer(current), bundle: bundle(old), published: publishedAs(old) }
    expect(step(undefined, missing)).toMatchObject({ action: 'wait' })
  })

  it('is none whose certificate would not expire later than the current one', () => {
    const short = { ...old, notAfter: start + 30 * day }
    const ending = { ...waiting, signer: signer(current, short), bundle: bundle(short, current) }
    expect(step(target(short), { ...ending, now: start + 16 * day })).toEqual({
      action: 'wait',
      why: 'past its refresh time 2026-01-16T00:00:00Z, but a new certificate would not expire later, because its CA does not',
      at: start + 30 * day + 1,
    })
  })

  it('without evidence from nodes is the current one after its waiting time', () => {
    const { trustedBy: _, ...timed } = spec
    const young = authority('3', start + 16 * day)
    const facts = {
      rotation: rotationOf(timed),
      signer: signer(young, old),
      bundle: bundle(old, young),
      published: publishedAs(old, young),
      nodes: undefined,
    }
    // A tenth of 360 hours.
    const opens = start + 16 * day + 36 * 60 * minute + 1
    const due = 'past its refresh time 2026-01-16T00:00:00Z'
    expect(step(target(old), { ...facts, now: opens - 1 })).toEqual(issued(due, 'previous'))
    expect(step(target(old), { ...facts, now: opens })).toEqual(issued(due))
    // It is not replaced before its refresh time.
    const fresh = target(old, { notBefore: start + 17 * day })
    expect(step(fresh, { ...facts, now: start + 20 * day })).toMatchObject({ action: 'nothing' })
  })
})

describe('the phase', () => {
  const phase = (facts: Partial<CertificateFacts>): string =>
    planCertificates(atRest({ now, ...facts })).phase
  const rotating = {
    signer: signer(current, old),
    bundle: bundle(old, current),
    published: publishedAs(old, current),
  }
  const one = target(current, { notBefore: start + 6 * day })

  it('is derived from the current state', () => {
    expect(phase({ signer: undefined })).toBe('Preparing')
    expect(phase({ ...rotating, nodes: lacking(3, 1) })).toBe('Preparing')
    expect(phase({ ...rotating, published: publishedAs(old) })).toBe('Preparing')
    expect(phase(rotating)).toBe('Prepared')
    expect(phase({ ...rotating, targets: [one, second] })).toBe('Issuing')
    expect(phase({ ...rotating, targets: [one, one] })).toBe('Completing')
    expect(phase({ ...rotating, targets: [one, one], nodes: lacking(3, 1) })).toBe('Completing')
  })

  it('is Completing until every node and every published ConfigMap has lost the former CA', () => {
    const gone = { signer: signer(current), bundle: bundle(current), targets: [one, one] }
    expect(phase({ ...gone, published: publishedAs(current, old) })).toBe('Completing')
    const nodes = { ...trusting(3), holdingOld: 1 }
    expect(phase({ ...gone, published: publishedAs(current), nodes })).toBe('Completing')
    expect(phase({ ...gone, published: publishedAs(current) })).toBe('Completed')
  })

  it('is Completing while the bundle is missing or cannot be parsed', () => {
    const gone = { signer: signer(current), published: publishedAs(current), targets: [one, one] }
    const torn = { ...bundle(current), problem: 'line 3: torn' }
    for (const found of [undefined, torn, bundle()]) {
      expect(phase({ ...gone, bundle: found })).toBe('Completing')
    }
  })

  it('is Completing while a node has not reported the only CA, or may still be loading it', () => {
    const gone = { signer: signer(current), bundle: bundle(current), targets: [one, one] }
    const known = { ...gone, published: publishedAs(current) }
    expect(phase({ ...known, nodes: lacking(3, 1) })).toBe('Completing')
    const settling = { ...trusting(3), trusting: 2, settling: 1, settlesAt: now + minute }
    expect(phase({ ...known, nodes: settling })).toBe('Completing')
    const excused = { ...trusting(3), trusting: 2, excused: 1 }
    expect(phase({ ...known, nodes: excused })).toBe('Completed')
  })

  it('is Completed if only another input contains an old CA', () => {
    const gone = { signer: signer(current), bundle: bundle(current), targets: [one, one] }
    const [place] = publishedAs(current, old)
    const inputs = [{ key: { namespace: 'keys', name: 'other' }, bundle: bundle(old) }]
    expect(phase({ ...gone, published: [{ ...place!, inputs }] })).toBe('Completed')
  })
})

it('the new CA does not wait for a previous one that cannot be added to the bundle', () => {
  const known = bundle(current)
  const facts = { signer: signer(current, old), nodes: lacking(3, 1), published: publishedAs() }
  expect(step(undefined, { ...facts, bundle: known })).toMatchObject({ action: 'wait' })
  const torn = { ...known, problem: 'line 3: torn' }
  expect(step(undefined, { ...facts, bundle: torn })).toEqual(issued("secret doesn't exist"))
})
