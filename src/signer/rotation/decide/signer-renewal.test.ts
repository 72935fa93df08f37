import { describe, expect, it } from 'vitest'
import type { CertificateMetadata, CertificateFacts, SignerFacts } from '../facts/facts.ts'
import {
  atRest,
  authority,
  bundle,
  day,
  metadataFor,
  rotationOf,
  signer,
  spec,
  start,
  target,
} from './decide-facts.fixture.ts'
import { planCertificates } from './plan-certificates.ts'
import { signerStep } from './signer-renewal.ts'

const old = authority('1')
const before = authority('0', start - 100 * day)

/** The step after a user changed the annotations of the signer's Secret. */
const after = (
  changes: Partial<CertificateMetadata>,
  facts: Partial<CertificateFacts> = {},
): unknown => {
  const given = signer(old)
  return signerStep(
    atRest({ signer: { ...given, metadata: { ...given.metadata, ...changes } }, ...facts }),
  )
}

const renewed = (why: string): object => ({
  action: 'renew',
  why,
  name: 'keys_signer@1767312000',
  keep: 'current',
})

describe('a change of the signer by a user', () => {
  it('removing not-after rotates it', () => {
    expect(after({ notAfter: undefined })).toEqual(renewed('missing notAfter'))
  })

  it('removing not-before rotates it', () => {
    expect(after({ notBefore: undefined })).toEqual(renewed('missing notBefore'))
  })

  it('a past or invalid time rotates it', () => {
    expect(after({ notAfter: '2025-01-01T00:00:00Z' })).toEqual(renewed('already expired'))
    expect(after({ notAfter: 'soon' })).toEqual(renewed('bad expiry: notAfter is not a time'))
    expect(after({ notAfter: '2027' })).toEqual(renewed('bad expiry: notAfter is not a time'))
    expect(after({ notBefore: 'once' })).toEqual(renewed('bad expiry: notBefore is not a time'))
  })

  it('removing the issuer has no effect', () => {
    const given = signer(old)
    const facts = atRest({
      signer: { ...given, metadata: { ...given.metadata, issuer: undefined } },
    })
    expect(planCertificates(facts)).toMatchObject({ writes: [], phase: 'Completed' })
  })

  it('removing the owner or the label restores it without a new key', () => {
    const given = signer(old)
    const incomplete = [
      { ...given.metadata, hasOwner: false },
      { ...given.metadata, type: undefined },
    ]
    for (const metadata of incomplete) {
      const { writes } = planCertificates(atRest({ signer: { ...given, metadata: metadata } }))
      expect(writes).toEqual([
        { type: 'signer', action: 'set-metadata', why: 'label or annotation missing' },
      ])
      const rotation = rotationOf({ ...spec, renew: 'WhenExpired' })
      expect(
        planCertificates(atRest({ rotation, signer: { ...given, metadata: metadata } })).writes,
      ).toEqual([])
    }
  })

  it('removing all annotations rotates it', () => {
    expect(
      signerStep(atRest({ signer: { ...signer(old), metadata: { hasOwner: false } } })),
    ).toEqual(renewed('missing notAfter'))
  })

  it('deleting it creates a new CA', () => {
    expect(signerStep(atRest({ signer: undefined }))).toEqual({
      ...renewed("secret doesn't exist"),
      keep: 'none',
    })
  })
})

describe('the certificate of the signer', () => {
  const withCurrent = (current: SignerFacts['current']): unknown =>
    signerStep(atRest({ signer: { ...signer(old), current } }))

  it('is replaced if it is unusable, whatever its annotations contain', () => {
    expect(withCurrent({ problem: 'tls.key is not the key of tls.crt' })).toEqual({
      ...renewed('tls.key is not the key of tls.crt'),
      keep: 'none',
    })
    expect(withCurrent(authority('9', start - 400 * day))).toMatchObject({
      why: 'already expired',
      keep: 'none',
    })
    expect(withCurrent(authority('9', start + 40 * day))).toMatchObject({
      why: 'not valid before 2026-02-10T00:00:00Z: a clock was ahead',
      keep: 'none',
    })
  })

  it('is due after four fifths of its lifetime, or after refresh', () => {
    expect(signerStep(atRest())).toEqual({ action: 'nothing', at: start + 292 * day + 1 })
    expect(signerStep(atRest({ now: start + 292 * day + 1 }))).toMatchObject({
      action: 'renew',
      why: 'past its latest possible time 2026-10-20T00:00:00Z',
    })
    const quick = { ...spec, signer: { ...spec.signer, refresh: '24h' } }
    expect(signerStep(atRest({ rotation: rotationOf(quick), now: start + day + 1 }))).toMatchObject(
      {
        why: 'past its refresh time 2026-01-02T00:00:00Z',
      },
    )
  })

  it('stays until it expires with renew WhenExpired', () => {
    const rotation = rotationOf({ ...spec, renew: 'WhenExpired' })
    const end = start + 365 * day
    expect(signerStep(atRest({ rotation, now: end }))).toEqual({ action: 'nothing', at: end + 1 })
    expect(signerStep(atRest({ rotation, now: end + 1 }))).toMatchObject({ action: 'renew' })
    expect(after({ notAfter: undefined }, { rotation })).toMatchObject({ action: 'renew' })
  })
})

describe('the previous CA', () => {
  it('is the one that signed the current leaf certificates, also after two rotations', () => {
    const middle = authority('2', start + day)
    const twice = { ...signer(middle, old), metadata: metadataFor('signer') }
    // The second one has signed nothing yet, so the key of the first one is still needed.
    expect(signerStep(atRest({ signer: twice }))).toMatchObject({ keep: 'previous' })
    const targets = [target(old), target(middle)]
    expect(signerStep(atRest({ signer: twice, targets }))).toMatchObject({ keep: 'current' })
  })

  it('may be one that is not valid yet, because the clock of the signer may be wrong', () => {
    const coming = authority('2', start + 40 * day)
    const given = { ...signer(coming, old), metadata: metadataFor('signer') }
    expect(signerStep(atRest({ signer: given, targets: [target(coming)] }))).toMatchObject({
      keep: 'current',
    })
    const former = { ...signer(old, coming), metadata: metadataFor('signer') }
    expect(signerStep(atRest({ signer: former, targets: [target(coming)] }))).toMatchObject({
      keep: 'previous',
    })
  })

  it('is never an expired one', () => {
    const ended = authority('2', start - 400 * day)
    const given = { ...signer(ended, ended), metadata: metadataFor('signer') }
    expect(signerStep(atRest({ signer: given, targets: [] }))).toMatchObject({ keep: 'none' })
  })

  it('never has the name of the new one', () => {
    const namesake = { ...old, commonName: 'keys_signer@1767312000' }
    const facts = atRest({ signer: undefined, bundle: bundle(namesake) })
    expect(signerStep(facts)).toMatchObject({ name: 'keys_signer@1767312001' })
  })
})

describe('rotating back', () => {
  const requested = (rotateBack: string, previous = before): SignerFacts => ({
    ...signer(old, previous),
    rotateBack,
  })

  it('makes the previous CA the current one', () => {
    expect(signerStep(atRest({ signer: requested(old.fingerprint) }))).toEqual({
      action: 'swap',
      why: 'rotated back by a user',
    })
  })

  it('takes effect only for the named CA, and only if there is a previous one', () => {
    const nothing = { action: 'nothing' }
    expect(signerStep(atRest({ signer: requested(before.fingerprint) }))).toMatchObject(nothing)
    const ended = authority('7', start - 400 * day)
    expect(signerStep(atRest({ signer: requested(old.fingerprint, ended) }))).toMatchObject(nothing)
    const alone = { ...signer(old), rotateBack: old.fingerprint }
    expect(signerStep(atRest({ signer: alone }))).toMatchObject(nothing)
  })

  it('is not reverted by age before the CA has signed again, because its key would be lost', () => {
    const young = authority('2', start + 300 * day)
    const now = start + 301 * day
    const facts = (...by: (typeof old)[]): CertificateFacts =>
      atRest({ now, signer: signer(old, young), targets: by.map((each) => target(each)) })
    expect(signerStep(facts(old, young))).toMatchObject({ action: 'nothing' })
    expect(signerStep(facts(old, old))).toMatchObject({ action: 'renew', keep: 'current' })
    // With the younger CA as current it is a normal rotation.
    const due = atRest({ now: now + 300 * day, signer: signer(young, old), targets: [target(old)] })
    expect(signerStep(due)).toMatchObject({ action: 'renew' })
  })

  it('does not keep an expired CA', () => {
    const young = authority('2', start + 300 * day)
    const targets = [target(young, { notBefore: start + 350 * day })]
    const facts = atRest({ now: start + 366 * day, signer: signer(old, young), targets })
    expect(signerStep(facts)).toMatchObject({ action: 'renew', keep: 'previous' })
  })
})
