import { describe, expect, it } from 'vitest'
import {
  atRest,
  authority,
  bundle,
  day,
  dress,
  rotationOf,
  signer,
  spec,
  start,
  target,
} from './decide-world.fixture.ts'
import { decide } from './decide.ts'
import type { Dress, RotationFacts, SignerFacts } from './facts.ts'
import { signerStep } from './signer-renewal.ts'

const old = authority('1')
const before = authority('0', start - 100 * day)

/** What is done after somebody changed the annotations of the signer's Secret. */
const after = (changes: Partial<Dress>, facts: Partial<RotationFacts> = {}): unknown => {
  const given = signer(old)
  return signerStep(
    atRest({ signer: { ...given, dress: { ...given.dress, ...changes } }, ...facts }),
  )
}

const renewed = (why: string): object => ({
  do: 'renew',
  why,
  name: 'keys_signer@1767312000',
  keep: 'current',
})

describe('what people do to the signer', () => {
  it('removing not-after rotates it', () => {
    expect(after({ notAfter: undefined })).toEqual(renewed('missing notAfter'))
  })

  it('removing not-before rotates it', () => {
    expect(after({ notBefore: undefined })).toEqual(renewed('missing notBefore'))
  })

  it('a time that is past, or is none, rotates it', () => {
    expect(after({ notAfter: '2025-01-01T00:00:00Z' })).toEqual(renewed('already expired'))
    expect(after({ notAfter: 'soon' })).toEqual(renewed('bad expiry: notAfter is not a time'))
    expect(after({ notAfter: '2027' })).toEqual(renewed('bad expiry: notAfter is not a time'))
    expect(after({ notBefore: 'once' })).toEqual(renewed('bad expiry: notBefore is not a time'))
  })

  it('removing the issuer does nothing at all', () => {
    const given = signer(old)
    const facts = atRest({ signer: { ...given, dress: { ...given.dress, issuer: undefined } } })
    expect(decide(facts)).toMatchObject({ writes: [], phase: 'Completed' })
  })

  it('removing the owner or the label puts it back, without a new key', () => {
    const given = signer(old)
    const dressed = [
      { ...given.dress, hasOwner: false },
      { ...given.dress, type: undefined },
    ]
    for (const worn of dressed) {
      const { writes } = decide(atRest({ signer: { ...given, dress: worn } }))
      expect(writes).toEqual([{ to: 'signer', do: 'dress', why: 'label or annotation missing' }])
      const rotation = rotationOf({ ...spec, renew: 'WhenExpired' })
      expect(decide(atRest({ rotation, signer: { ...given, dress: worn } })).writes).toEqual([])
    }
  })

  it('removing all annotations rotates it', () => {
    expect(signerStep(atRest({ signer: { ...signer(old), dress: { hasOwner: false } } }))).toEqual(
      renewed('missing notAfter'),
    )
  })

  it('deleting it makes a new one', () => {
    expect(signerStep(atRest({ signer: undefined }))).toEqual({
      ...renewed("secret doesn't exist"),
      keep: 'none',
    })
  })
})

describe('what the certificate itself says', () => {
  const withCurrent = (current: SignerFacts['current']): unknown =>
    signerStep(atRest({ signer: { ...signer(old), current } }))

  it('bytes that cannot be used count, whatever the annotations say', () => {
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

  it('is due after four fifths of its life, or after refresh', () => {
    expect(signerStep(atRest())).toEqual({ do: 'nothing', at: start + 292 * day + 1 })
    expect(signerStep(atRest({ now: start + 292 * day + 1 }))).toMatchObject({
      do: 'renew',
      why: 'past its latest possible time 2026-10-20T00:00:00Z',
    })
    const quick = { ...spec, signer: { ...spec.signer, refresh: '24h' } }
    expect(signerStep(atRest({ rotation: rotationOf(quick), now: start + day + 1 }))).toMatchObject(
      {
        why: 'past its refresh time 2026-01-02T00:00:00Z',
      },
    )
  })

  it('who only helps out leaves it until it has ended', () => {
    const rotation = rotationOf({ ...spec, renew: 'WhenExpired' })
    const end = start + 365 * day
    expect(signerStep(atRest({ rotation, now: end }))).toEqual({ do: 'nothing', at: end + 1 })
    expect(signerStep(atRest({ rotation, now: end + 1 }))).toMatchObject({ do: 'renew' })
    expect(after({ notAfter: undefined }, { rotation })).toMatchObject({ do: 'renew' })
  })
})

describe('what is kept', () => {
  it('the one that signed what is in use, also when it is asked for twice', () => {
    const middle = authority('2', start + day)
    const twice = { ...signer(middle, old), dress: dress('signer') }
    // The second one has signed nothing yet: the key of the first is still needed.
    expect(signerStep(atRest({ signer: twice }))).toMatchObject({ keep: 'previous' })
    const targets = [target(old), target(middle)]
    expect(signerStep(atRest({ signer: twice, targets }))).toMatchObject({ keep: 'current' })
  })

  it('one that is not valid yet: it may be our own clock that is wrong', () => {
    const coming = authority('2', start + 40 * day)
    const given = { ...signer(coming, old), dress: dress('signer') }
    expect(signerStep(atRest({ signer: given, targets: [target(coming)] }))).toMatchObject({
      keep: 'current',
    })
    const former = { ...signer(old, coming), dress: dress('signer') }
    expect(signerStep(atRest({ signer: former, targets: [target(coming)] }))).toMatchObject({
      keep: 'previous',
    })
  })

  it('nothing that has ended', () => {
    const ended = authority('2', start - 400 * day)
    const given = { ...signer(ended, ended), dress: dress('signer') }
    expect(signerStep(atRest({ signer: given, targets: [] }))).toMatchObject({ keep: 'none' })
  })

  it('no name is given twice', () => {
    const namesake = { ...old, commonName: 'keys_signer@1767312000' }
    const facts = atRest({ signer: undefined, bundle: bundle(namesake) })
    expect(signerStep(facts)).toMatchObject({ name: 'keys_signer@1767312001' })
  })
})

describe('rotating back', () => {
  const asked = (rotateBack: string, previous = before): SignerFacts => ({
    ...signer(old, previous),
    rotateBack,
  })

  it('makes the previous one the current one again', () => {
    expect(signerStep(atRest({ signer: asked(old.fingerprint) }))).toEqual({
      do: 'swap',
      why: 'rotated back by a person',
    })
  })

  it('counts only for the CA that it names, and only if there is another one', () => {
    const nothing = { do: 'nothing' }
    expect(signerStep(atRest({ signer: asked(before.fingerprint) }))).toMatchObject(nothing)
    const ended = authority('7', start - 400 * day)
    expect(signerStep(atRest({ signer: asked(old.fingerprint, ended) }))).toMatchObject(nothing)
    const alone = { ...signer(old), rotateBack: old.fingerprint }
    expect(signerStep(atRest({ signer: alone }))).toMatchObject(nothing)
  })

  it('is not undone by age before what the other one signed is replaced: its key would be lost', () => {
    const young = authority('2', start + 300 * day)
    const now = start + 301 * day
    const facts = (...by: (typeof old)[]): RotationFacts =>
      atRest({ now, signer: signer(old, young), targets: by.map((each) => target(each)) })
    expect(signerStep(facts(old, young))).toMatchObject({ do: 'nothing' })
    expect(signerStep(facts(old, old))).toMatchObject({ do: 'renew', keep: 'current' })
    // The other way round it is a rotation like any other.
    const due = atRest({ now: now + 300 * day, signer: signer(young, old), targets: [target(old)] })
    expect(signerStep(due)).toMatchObject({ do: 'renew' })
  })

  it('does not keep one that has ended', () => {
    const young = authority('2', start + 300 * day)
    const targets = [target(young, { notBefore: start + 350 * day })]
    const facts = atRest({ now: start + 366 * day, signer: signer(old, young), targets })
    expect(signerStep(facts)).toMatchObject({ do: 'renew', keep: 'previous' })
  })
})
