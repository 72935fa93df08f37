import { describe, expect, it } from 'vitest'
import {
  atRest,
  authority,
  bundle,
  day,
  dress,
  lacking,
  publishedAs,
  rotationOf,
  signer,
  spec,
  start,
  target,
} from './decide-world.fixture.ts'
import { decide } from './decide.ts'
import type { Authority, PublishedFacts, RotationFacts } from './facts.ts'

const now = start + 10 * day
const old = authority('1')
const current = authority('2', start + 5 * day)
const foreign = authority('somebody else')

const bundleIn = (facts: Partial<RotationFacts>): unknown =>
  decide(atRest({ now, ...facts })).writes.find(({ to }) => to === 'bundle')

describe('the bundle', () => {
  it('gets the new CA, and keeps the old one and those of others', () => {
    expect(bundleIn({ signer: signer(current, old), bundle: bundle(old, foreign) })).toEqual({
      to: 'bundle',
      authorities: [old, foreign, current],
      own: ['fingerprint of 1', 'fingerprint of 2'],
      why: 'signer update keys_signer@2',
    })
  })

  it('loses what has ended', () => {
    const ended = authority('0', start - 400 * day)
    expect(bundleIn({ bundle: bundle(ended, old) })).toMatchObject({
      authorities: [old],
      why: 'no longer needed: keys_signer@0',
    })
  })

  it('is made anew from the signer and from what is in use where it is gone or empty', () => {
    const targets = [target(foreign), target(current, { hostnames: 'two' })]
    for (const given of [undefined, bundle()]) {
      expect(bundleIn({ signer: signer(current, old), bundle: given, targets })).toMatchObject({
        authorities: [foreign, current, old],
      })
    }
  })

  it('is made anew also from what was published of it, for callers may still show what was replaced', () => {
    const replaced = authority('0')
    const found = bundle(replaced, foreign, current)
    const published = [{ key: { namespace: 'keys', name: 'client-ca' }, found, inputs: [] }]
    const targets = [target(current), target(current, { hostnames: 'two' })]
    const given = { signer: signer(current), bundle: undefined, targets, published }
    expect(bundleIn({ ...given, nodes: lacking(2, 1) })).toMatchObject({
      authorities: [current, replaced, foreign],
      own: ['fingerprint of 2', 'fingerprint of 0', 'fingerprint of somebody else'],
    })
  })

  it('with something unreadable in it stays as it is, and all else goes on', () => {
    const problem = 'line 3: PEM block "CERTIFICATE" is not base64'
    const facts = atRest({
      now,
      signer: signer(current, old),
      bundle: { ...bundle(old), problem },
      published: publishedAs(old),
      targets: [undefined, target(old, { hostnames: 'two' })],
    })
    const { writes, problems } = decide(facts)
    expect(problems).toEqual([
      `ConfigMap keys/ca, key ca-bundle.crt: ${problem}: repair it, or delete the ConfigMap to have it made anew from the signer's Secret, the certificates in use and what was published`,
    ])
    expect(writes).toEqual([
      { to: 'target', index: 0, do: 'issue', by: 'previous', why: "secret doesn't exist" },
    ])
  })

  it('is written anew where its text or its label is not ours, but for who only helps out', () => {
    const untidy = { ...bundle(old), isTidy: false }
    const bare = { ...bundle(old), dress: dress('') }
    expect(bundleIn({ bundle: untidy })).toMatchObject({ authorities: [old] })
    expect(bundleIn({ bundle: bare })).toMatchObject({ why: 'label or annotation missing' })
    const rotation = rotationOf({ ...spec, renew: 'WhenExpired' })
    expect(bundleIn({ bundle: { ...untidy, dress: dress('') }, rotation })).toBeUndefined()
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
  const lately = (minutes: number): RotationFacts['targets'] =>
    done.targets.map(() => target(current, { notBefore: now - minutes * 60_000, hostnames: '' }))

  it('go once nothing needs them', () => {
    expect(bundleIn({ ...done, targets: lately(60) })).toEqual({
      to: 'bundle',
      authorities: [current],
      own: ['fingerprint of 1', 'fingerprint of 2'],
      why: 'no longer needed: keys_signer@1',
    })
  })

  it('stay while a certificate of theirs is in use', () => {
    const plan = decide(atRest({ ...done, now, targets: [target(old), lately(60)[0]] }))
    expect(plan.retiring[0]?.neededBy).toEqual(['Secret keys/one has a certificate of it'])
  })

  it('stay while a holder may present the leaf certificate that was replaced last', () => {
    const plan = decide(atRest({ ...done, now, targets: lately(1) }))
    expect(plan.retiring[0]?.neededBy).toEqual([
      'a leaf certificate that was replaced may still be presented until 2026-01-11T00:09:01Z: clients such as kube-apiserver look at their files every 5 minutes only (spec.leafSettle)',
    ])
    expect(plan.at).toBe(Date.parse('2026-01-11T00:09:01Z'))
  })

  it('stay while a node lacks the current one, or it is not published everywhere', () => {
    const facts = { ...done, now, targets: lately(60) }
    expect(decide(atRest({ ...facts, nodes: lacking(3, 1) })).retiring[0]?.neededBy).toEqual([
      '1 of 3 nodes does not trust the current CA yet',
    ])
    expect(decide(atRest({ ...facts, published: publishedAs(old) })).retiring[0]?.neededBy).toEqual(
      ['the current CA has yet to be published in keys/client-ca'],
    )
  })

  it('stay until they end where no node tells anything', () => {
    const { trustedBy: _, ...timed } = spec
    const facts = atRest({ ...done, now, targets: lately(60), rotation: rotationOf(timed) })
    const { retiring, writes } = decide({ ...facts, nodes: undefined })
    expect(retiring[0]?.neededBy).toEqual([
      'it stays until it ends: no node tells whether it is needed',
    ])
    expect(writes.filter(({ to }) => to === 'bundle')).toEqual([])
  })

  it('leave the Secret after the bundle', () => {
    const facts = { ...done, now, targets: lately(60) }
    const dropped = { to: 'signer', do: 'drop-previous' }
    expect(decide(atRest(facts)).writes).not.toContainEqual(expect.objectContaining(dropped))
    const { writes } = decide(atRest({ ...facts, bundle: bundle(current) }))
    expect(writes[0]).toMatchObject(dropped)
    // Nor while it is needed, wherever it has gone.
    const used = { ...facts, bundle: bundle(current), targets: [target(old), lately(60)[0]] }
    expect(decide(atRest(used)).writes).not.toContainEqual(expect.objectContaining(dropped))
    const rotation = rotationOf({ ...spec, renew: 'WhenExpired' })
    const left = decide(atRest({ ...facts, bundle: bundle(current), rotation })).writes
    expect(left.filter(({ to }) => to === 'signer')).toEqual([])
  })
})

describe('where the bundle goes, too', () => {
  const key = { namespace: 'keys', name: 'client-ca' }
  const input = (...all: readonly Authority[]): PublishedFacts['inputs'][number] => ({
    key: { namespace: 'keys', name: 'other' },
    bundle: bundle(...all),
  })

  it('ours come first, then others in their order, each once, and none that has ended', () => {
    const ended = authority('over', start - 400 * day)
    const inputs = [input(foreign, old), input(ended, authority('third'), foreign)]
    const published = [{ key, found: bundle(old), inputs }]
    expect(decide(atRest({ now, published })).writes).toEqual([
      { to: 'published', index: 0, authorities: [old, foreign, authority('third')] },
    ])
  })

  it('a bad input leaves it as it is', () => {
    const bad = { ...input(), bundle: { ...bundle(foreign), problem: 'line 1: torn' } }
    const published = [{ key, found: bundle(foreign), inputs: [bad] }]
    const { writes, problems } = decide(atRest({ now, published }))
    expect(writes).toEqual([])
    expect(problems).toEqual([
      'ConfigMap keys/other, key ca-bundle.crt: line 1: torn: until it is repaired, ConfigMap keys/client-ca stays as it is',
    ])
  })

  it('stays as it is until another rotation has made what goes there, too', () => {
    const awaited = { namespace: 'keys', name: 'other' }
    const published = [{ key, found: bundle(old, foreign), inputs: [], awaited }]
    expect(decide(atRest({ now, published }))).toMatchObject({ writes: [], gate: { isOpen: true } })
    const facts = atRest({ now, signer: signer(current, old), bundle: bundle(old, current) })
    const { writes, gate, problems } = decide({ ...facts, published })
    expect(writes).toEqual([])
    expect(problems).toEqual([])
    expect(gate.waitsFor).toEqual([
      'the current CA has yet to be published in keys/client-ca, after ConfigMap keys/other is made',
    ])
  })

  it('does not lose what cannot be read in the bundle', () => {
    const torn = { ...bundle(old), problem: 'line 3: torn' }
    const published = publishedAs(old, current)
    const { writes } = decide(atRest({ now, bundle: torn, published }))
    expect(writes).toEqual([])
  })

  it.each([
    ['tidy', { ...bundle(old), isTidy: false }],
    ['labelled', { ...bundle(old), dress: { ...dress('ca-bundle'), type: undefined } }],
    ['readable', { ...bundle(old), problem: 'line 9: torn' }],
  ])('is written anew where it is not %s', (_, found) => {
    const published = [{ key, found, inputs: [] }]
    expect(decide(atRest({ now, published })).writes).toEqual([
      { to: 'published', index: 0, authorities: [old] },
    ])
  })

  it('waits until the bundle is whole', () => {
    const { writes } = decide(
      atRest({ now, signer: signer(current, old), published: publishedAs() }),
    )
    expect(writes.map(({ to }) => to)).toEqual(['bundle'])
  })
})

it('looks again when the next one ends, and never for one that has', () => {
  const [ended, ending] = [authority('over', start - 400 * day), authority('x', start - 354 * day)]
  const facts = atRest({ now, bundle: bundle(ended, ending, old) })
  expect(decide(facts).at).toBe(ending.notAfter + 1)
  expect(decide({ ...facts, now: ending.notAfter + 1 }).at).toBeGreaterThan(ending.notAfter + 1)
})
