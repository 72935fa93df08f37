import { describe, expect, it } from 'vitest'
import {
  atRest,
  authority,
  bundle,
  day,
  publishedAs,
  signer,
  start,
  target,
} from '../../../test/signer/decide-world.ts'
import { decide } from './decide.ts'

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
})
