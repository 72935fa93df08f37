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
} from '../../../test/signer/decide-world.ts'
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
    expect(decide(atTheEnd()).writes).toMatchObject([
      { to: 'bundle', authorities: [current], removes: true },
    ])
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

  it('is none of a signer that has the same name in another namespace', () => {
    const neighbour = authority('elsewhere_signer@7')
    const first = authority('signer')
    const facts = atTheEnd({ signer: signer(current), bundle: bundle(neighbour, first, current) })
    const { retiring, writes } = decide(facts)
    expect(retiring.map(({ authority: each }) => each)).toEqual([first])
    expect(writes[0]).toMatchObject({ to: 'bundle', authorities: [neighbour, current] })
  })
})
