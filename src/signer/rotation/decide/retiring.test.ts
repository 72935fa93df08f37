import { describe, expect, it } from 'vitest'
import type { CertificateFacts } from '../facts/facts.ts'
import {
  atRest,
  authority,
  bundle,
  day,
  publishedAs,
  rotationOf,
  signer,
  spec,
  start,
  target,
} from './decide-facts.fixture.ts'
import { planCertificates } from './plan-certificates.ts'

const old = authority('1')
const current = authority('2', start + 5 * day)

describe('a former CA', () => {
  it.each([
    ['is missing', undefined],
    ['is damaged', { ...target(current), leaf: { problem: 'tls.crt is missing' } }],
  ])('stays while a certificate %s, because the previous one may still be in use', (_, found) => {
    const facts = atRest({
      now: start + 10 * day,
      signer: signer(current, old),
      bundle: bundle(old, current),
      published: publishedAs(old, current),
      targets: [found, target(current, { hostnames: 'two' })],
    })
    const { retiring, writes } = planCertificates(facts)
    expect(retiring[0]?.neededBy).toEqual([
      'Secret keys/one has no certificate yet, and its previous one may still be in use',
    ])
    expect(writes.map(({ type }) => type)).toEqual(['target'])
  })

  const atTheEnd = (more: Partial<CertificateFacts> = {}): CertificateFacts =>
    atRest({
      now: start + 10 * day,
      signer: signer(current, old),
      bundle: bundle(old, current),
      published: publishedAs(old, current),
      targets: [target(current), target(current, { hostnames: 'two' })],
      ...more,
    })

  it('is removed once nothing needs it', () => {
    expect(planCertificates(atTheEnd()).writes).toMatchObject([
      { type: 'bundle', authorities: [current] },
    ])
  })

  it('stays if the rotation has no targets', () => {
    const { targets: _, ...rest } = spec
    const facts = atTheEnd({ rotation: rotationOf(rest), targets: [] })
    const { retiring, writes } = planCertificates(facts)
    expect(writes).toEqual([])
    expect(retiring).toEqual([
      {
        authority: old,
        neededBy: ['it stays until it expires: no target shows what it signed'],
      },
    ])
  })

  it('is recognized by its name in a bundle without a record, unless the name has another namespace', () => {
    const neighbour = authority('elsewhere_signer@7')
    const first = authority('signer')
    // Another tool created the bundle.
    const { own: _, ...unrecorded } = bundle(neighbour, first, current)
    const facts = atTheEnd({ signer: signer(current), bundle: unrecorded })
    const { retiring, writes } = planCertificates(facts)
    expect(retiring.map(({ authority: each }) => each)).toEqual([first])
    expect(writes[0]).toMatchObject({
      type: 'bundle',
      authorities: [neighbour, current],
      own: ['fingerprint of signer', 'fingerprint of 2'],
    })
  })

  it('is recognized by its fingerprint, also if it is no longer in the Secret', () => {
    const first = authority('kubernetes')
    const lookalike = authority('9')
    const known = {
      ...bundle(first, lookalike, old, current),
      own: [first, old, current].map(({ fingerprint }) => fingerprint),
    }
    const { retiring, writes } = planCertificates(atTheEnd({ bundle: known }))
    expect(retiring.map(({ authority: each }) => each)).toEqual([first, old])
    expect(writes[0]).toMatchObject({ type: 'bundle', authorities: [lookalike, current] })
  })
})
