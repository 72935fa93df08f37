import { describe, expect, it } from 'vitest'
import type { Authority, PublishedFacts, CertificateFacts } from '../facts/facts.ts'
import {
  atRest,
  authority,
  bundle,
  day,
  metadataFor,
  lacking,
  publishedAs,
  rotationOf,
  signer,
  spec,
  start,
  target,
} from './decide-facts.fixture.ts'
import { planCertificates } from './plan-certificates.ts'

const now = start + 10 * day
const old = authority('1')
const current = authority('2', start + 5 * day)
const foreign = authority('another owner')

const bundleIn = (facts: Partial<CertificateFacts>): unknown =>
  planCertificates(atRest({ now, ...facts })).writes.find(({ type }) => type === 'bundle')

describe('the bundle', () => {
  it('gets the new CA, and keeps the old one and those of other owners', () => {
    expect(bundleIn({ signer: signer(current, old), bundle: bundle(old, foreign) })).toEqual({
      type: 'bundle',
      authorities: [old, foreign, current],
      own: ['fingerprint of 1', 'fingerprint of 2'],
      why: 'signer update keys_signer@2',
    })
  })

  it('loses expired CAs', () => {
    const ended = authority('0', start - 400 * day)
    expect(bundleIn({ bundle: bundle(ended, old) })).toMatchObject({
      authorities: [old],
      why: 'no longer needed: keys_signer@0',
    })
  })

  it('is recreated from the signer and the leaf certificates if it is missing or empty', () => {
    const targets = [target(foreign), target(current, { hostnames: 'two' })]
    for (const given of [undefined, bundle()]) {
      expect(bundleIn({ signer: signer(current, old), bundle: given, targets })).toMatchObject({
        authorities: [foreign, current, old],
      })
    }
  })

  it('is recreated from the published CAs, too, because clients may still present a replaced certificate', () => {
    const replaced = authority('0')
    const found = bundle(replaced, foreign, current)
    const published = [{ key: { namespace: 'keys', name: 'client-ca' }, found, inputs: [] }]
    const targets = [target(current), target(current, { hostnames: 'two' })]
    const given = { signer: signer(current), bundle: undefined, targets, published }
    expect(bundleIn({ ...given, nodes: lacking(2, 1) })).toMatchObject({
      authorities: [current, replaced, foreign],
      own: ['fingerprint of 2', 'fingerprint of 0', 'fingerprint of another owner'],
    })
  })

  it('stays unchanged if it cannot be parsed, and leaf certificates are still issued', () => {
    const problem = 'line 3: PEM block "CERTIFICATE" is not base64'
    const facts = atRest({
      now,
      signer: signer(current, old),
      bundle: { ...bundle(old), problem },
      published: publishedAs(old),
      targets: [undefined, target(old, { hostnames: 'two' })],
    })
    const { writes, problems } = planCertificates(facts)
    expect(problems).toEqual([
      `ConfigMap keys/ca, key ca-bundle.crt: ${problem}: repair it, or delete the ConfigMap to have the signer recreate it from its Secret, the leaf certificates and the published bundles`,
    ])
    expect(writes).toEqual([
      { type: 'target', index: 0, action: 'issue', by: 'previous', why: "secret doesn't exist" },
    ])
  })

  it('is rewritten if its text or label differs, but not with renew WhenExpired', () => {
    const untidy = { ...bundle(old), isTidy: false }
    const bare = { ...bundle(old), metadata: metadataFor('') }
    expect(bundleIn({ bundle: untidy })).toMatchObject({ authorities: [old] })
    expect(bundleIn({ bundle: bare })).toMatchObject({ why: 'label or annotation missing' })
    const rotation = rotationOf({ ...spec, renew: 'WhenExpired' })
    expect(bundleIn({ bundle: { ...untidy, metadata: metadataFor('') }, rotation })).toBeUndefined()
  })

  it('is never left empty', () => {
    const ended = authority('0', start - 400 * day)
    expect(bundleIn({ signer: undefined, bundle: bundle(ended), targets: [] })).toBeUndefined()
  })
})

describe('former CAs', () => {
  const done = {
    signer: signer(current, old),
    bundle: bundle(old, current),
    published: publishedAs(old, current),
    targets: [target(current, { notBefore: start + 5 * day }), undefined],
  }
  const lately = (minutes: number): CertificateFacts['targets'] =>
    done.targets.map(() => target(current, { notBefore: now - minutes * 60_000, hostnames: '' }))

  it('are removed once nothing needs them', () => {
    expect(bundleIn({ ...done, targets: lately(60) })).toEqual({
      type: 'bundle',
      authorities: [current],
      own: ['fingerprint of 1', 'fingerprint of 2'],
      why: 'no longer needed: keys_signer@1',
    })
  })

  it('stay while a certificate of theirs is in use', () => {
    const plan = planCertificates(atRest({ ...done, now, targets: [target(old), lately(60)[0]] }))
    expect(plan.retiring[0]?.neededBy).toEqual(['Secret keys/one has a certificate of it'])
  })

  it('stay while a client may present the leaf certificate that was replaced last', () => {
    const plan = planCertificates(atRest({ ...done, now, targets: lately(1) }))
    expect(plan.retiring[0]?.neededBy).toEqual([
      'a leaf certificate that was replaced may still be presented until 2026-01-11T00:09:01Z: clients such as kube-apiserver read their files only every 5 minutes (spec.leafSettle)',
    ])
    expect(plan.at).toBe(Date.parse('2026-01-11T00:09:01Z'))
  })

  it('stay while a node lacks the current one, or it is not published everywhere', () => {
    const facts = { ...done, now, targets: lately(60) }
    expect(
      planCertificates(atRest({ ...facts, nodes: lacking(3, 1) })).retiring[0]?.neededBy,
    ).toEqual(['1 of 3 nodes does not trust the current CA yet'])
    expect(
      planCertificates(atRest({ ...facts, published: publishedAs(old) })).retiring[0]?.neededBy,
    ).toEqual(['the current CA is not published yet in keys/client-ca'])
  })

  it('stay until they expire if no node reports', () => {
    const { trustedBy: _, ...timed } = spec
    const facts = atRest({ ...done, now, targets: lately(60), rotation: rotationOf(timed) })
    const { retiring, writes } = planCertificates({ ...facts, nodes: undefined })
    expect(retiring[0]?.neededBy).toEqual([
      'it stays until it expires: no node reports whether it is needed',
    ])
    expect(writes.filter(({ type }) => type === 'bundle')).toEqual([])
  })

  it('are removed from the Secret after the bundle', () => {
    const facts = { ...done, now, targets: lately(60) }
    const dropped = { type: 'signer', action: 'drop-previous' }
    expect(planCertificates(atRest(facts)).writes).not.toContainEqual(
      expect.objectContaining(dropped),
    )
    const { writes } = planCertificates(atRest({ ...facts, bundle: bundle(current) }))
    expect(writes[0]).toMatchObject(dropped)
    // Nor while it is still needed.
    const used = { ...facts, bundle: bundle(current), targets: [target(old), lately(60)[0]] }
    expect(planCertificates(atRest(used)).writes).not.toContainEqual(
      expect.objectContaining(dropped),
    )
    const rotation = rotationOf({ ...spec, renew: 'WhenExpired' })
    const left = planCertificates(atRest({ ...facts, bundle: bundle(current), rotation })).writes
    expect(left.filter(({ type }) => type === 'signer')).toEqual([])
  })
})

describe('a published ConfigMap', () => {
  const key = { namespace: 'keys', name: 'client-ca' }
  const input = (...all: readonly Authority[]): PublishedFacts['inputs'][number] => ({
    key: { namespace: 'keys', name: 'other' },
    bundle: bundle(...all),
  })

  it('contains the bundle first, then other inputs in their order, without duplicates and expired CAs', () => {
    const ended = authority('over', start - 400 * day)
    const inputs = [input(foreign, old), input(ended, authority('third'), foreign)]
    const published = [{ key, found: bundle(old), inputs }]
    expect(planCertificates(atRest({ now, published })).writes).toEqual([
      { type: 'published', index: 0, authorities: [old, foreign, authority('third')] },
    ])
  })

  it('stays unchanged if an input cannot be parsed', () => {
    const bad = { ...input(), bundle: { ...bundle(foreign), problem: 'line 1: torn' } }
    const published = [{ key, found: bundle(foreign), inputs: [bad] }]
    const { writes, problems } = planCertificates(atRest({ now, published }))
    expect(writes).toEqual([])
    expect(problems).toEqual([
      'ConfigMap keys/other, key ca-bundle.crt: line 1: torn: until it is repaired, ConfigMap keys/client-ca stays unchanged',
    ])
  })

  it('stays unchanged until another rotation has created its input', () => {
    const awaited = { namespace: 'keys', name: 'other' }
    const published = [{ key, found: bundle(old, foreign), inputs: [], awaited }]
    expect(planCertificates(atRest({ now, published }))).toMatchObject({
      writes: [],
      gate: { isOpen: true },
    })
    const facts = atRest({ now, signer: signer(current, old), bundle: bundle(old, current) })
    const { writes, gate, problems } = planCertificates({ ...facts, published })
    expect(writes).toEqual([])
    expect(problems).toEqual([])
    expect(gate.waitsFor).toEqual([
      'the current CA is not published yet in keys/client-ca, after ConfigMap keys/other is created',
    ])
  })

  it('loses no CA if the bundle cannot be parsed', () => {
    const torn = { ...bundle(old), problem: 'line 3: torn' }
    const published = publishedAs(old, current)
    const { writes } = planCertificates(atRest({ now, bundle: torn, published }))
    expect(writes).toEqual([])
  })

  it.each([
    ['tidy', { ...bundle(old), isTidy: false }],
    ['labelled', { ...bundle(old), metadata: { ...metadataFor('ca-bundle'), type: undefined } }],
    ['readable', { ...bundle(old), problem: 'line 9: torn' }],
  ])('is rewritten if it is not %s', (_, found) => {
    const published = [{ key, found, inputs: [] }]
    expect(planCertificates(atRest({ now, published })).writes).toEqual([
      { type: 'published', index: 0, authorities: [old] },
    ])
  })

  it('is not written until the bundle is complete', () => {
    const { writes } = planCertificates(
      atRest({ now, signer: signer(current, old), published: publishedAs() }),
    )
    expect(writes.map(({ type }) => type)).toEqual(['bundle'])
  })
})

it('requeues for the next expiry, and not for past ones', () => {
  const [ended, ending] = [authority('over', start - 400 * day), authority('x', start - 354 * day)]
  const facts = atRest({ now, bundle: bundle(ended, ending, old) })
  expect(planCertificates(facts).at).toBe(ending.notAfter + 1)
  expect(planCertificates({ ...facts, now: ending.notAfter + 1 }).at).toBeGreaterThan(
    ending.notAfter + 1,
  )
})
