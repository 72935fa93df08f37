import { describe, expect, it } from 'vitest'
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
} from './decide-world.fixture.ts'
import { decide } from './decide.ts'
import type { RotationFacts } from './facts.ts'

const old = authority('1')
const current = authority('2', start + 5 * day)

describe('a former CA', () => {
  it.each([
    ['is gone', undefined],
    ['cannot be read', { ...target(current), leaf: { problem: 'tls.crt is missing' } }],
  ])(
    'stays while a certificate %s: what was there a moment ago may still be in use',
    (_, found) => {
      const facts = atRest({
        now: start + 10 * day,
        signer: signer(current, old),
        bundle: bundle(old, current),
        published: publishedAs(old, current),
        targets: [found, target(current, { hostnames: 'two' })],
      })
      const { retiring, writes } = decide(facts)
      expect(retiring[0]?.neededBy).toEqual([
        'Secret keys/one has yet to get a certificate, and what was there may still be in use',
      ])
      expect(writes.map(({ to }) => to)).toEqual(['target'])
    },
  )

  const atTheEnd = (more: Partial<RotationFacts> = {}): RotationFacts =>
    atRest({
      now: start + 10 * day,
      signer: signer(current, old),
      bundle: bundle(old, current),
      published: publishedAs(old, current),
      targets: [target(current), target(current, { hostnames: 'two' })],
      ...more,
    })

  it('goes once nothing needs it', () => {
    expect(decide(atTheEnd()).writes).toMatchObject([{ to: 'bundle', authorities: [current] }])
  })

  it('stays where no certificate is named: nobody knows what it signed', () => {
    const { targets: _, ...rest } = spec
    const facts = atTheEnd({ rotation: rotationOf(rest), targets: [] })
    const { retiring, writes } = decide(facts)
    expect(writes).toEqual([])
    expect(retiring).toEqual([
      {
        authority: old,
        neededBy: ['it stays until it ends: no target tells what it signed'],
      },
    ])
  })

  it('is told by its name in a bundle without a record; a signer of the same name elsewhere is another one', () => {
    const neighbour = authority('elsewhere_signer@7')
    const first = authority('signer')
    // Another tool made it.
    const { own: _, ...unrecorded } = bundle(neighbour, first, current)
    const facts = atTheEnd({ signer: signer(current), bundle: unrecorded })
    const { retiring, writes } = decide(facts)
    expect(retiring.map(({ authority: each }) => each)).toEqual([first])
    expect(writes[0]).toMatchObject({
      to: 'bundle',
      authorities: [neighbour, current],
      own: ['fingerprint of signer', 'fingerprint of 2'],
    })
  })

  it('is known by its fingerprint, whatever its name, also when the Secret has it no longer', () => {
    const first = authority('kubernetes')
    const lookalike = authority('9')
    const known = {
      ...bundle(first, lookalike, old, current),
      own: [first, old, current].map(({ fingerprint }) => fingerprint),
    }
    const { retiring, writes } = decide(atTheEnd({ bundle: known }))
    expect(retiring.map(({ authority: each }) => each)).toEqual([first, old])
    expect(writes[0]).toMatchObject({ to: 'bundle', authorities: [lookalike, current] })
  })
})
