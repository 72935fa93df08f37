import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Secret } from '@machinist/kube/kinds/core'
import { sampleToken, tokenSecret } from '../../fleet/provisioning/token.fixture.ts'
import type { KnownToken } from './token-match.ts'
import { knownToken, matchToken } from './token-match.ts'

const now = Date.parse('2026-01-01T00:00:00Z')
const client = { text: '10.0.0.5', bytes: Uint8Array.from([10, 0, 0, 5]) }
const [a, b, c] = [sampleToken('a'), sampleToken('b'), sampleToken('c')]
const known = (secret: Secret): KnownToken => {
  const read = knownToken(secret)
  if (typeof read === 'string') throw new Error(read)
  return read
}
const verdict = (tokens: readonly KnownToken[], presented: string) =>
  matchToken(tokens, presented, client, now)?.verdict

describe('a presented token', () => {
  const rotated = known(
    tokenSecret({ 'previous-valid-until': '2026-01-01T00:00:01Z' }, { token: a, previous: b }),
  )

  it('is the current or the previous one', () => {
    expect(verdict([rotated], a)).toBe('allowed')
    expect(verdict([rotated], b)).toBe('allowed')
    expect(verdict([rotated], c)).toBeUndefined()
    expect(verdict([rotated], `${a}a`)).toBeUndefined()
    expect(verdict([], a)).toBeUndefined()
  })

  it.each([
    [
      'the Secret without a limit',
      'allowed',
      [
        tokenSecret({ 'token-uses': '1' }),
        tokenSecret({ 'token-cidrs': '192.0.2.0/24' }),
        tokenSecret(),
      ],
    ],
    [
      'a use',
      'allowed-once',
      [tokenSecret({ 'token-cidrs': '192.0.2.0/24' }), tokenSecret({ 'token-uses': '1' })],
    ],
    [
      'the address',
      'address',
      [
        tokenSecret({ 'token-expires-at': '2025-01-01T00:00:00Z' }),
        tokenSecret({ 'token-cidrs': '192.0.2.0/24' }),
      ],
    ],
  ])('of several Secrets: %s decides', (_, expected, secrets) => {
    expect(verdict(secrets.map(known), a)).toBe(expected)
    expect(verdict(secrets.toReversed().map(known), a)).toBe(expected)
  })

  it('is accepted if and only if a Secret has it', () => {
    const text = fc.stringMatching(/^[ab]{32,34}$/)
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), text, (texts, presented) => {
        const tokens = texts.map((token) => known(tokenSecret({}, { token })))
        const expected = texts.includes(presented) ? 'allowed' : undefined
        expect(verdict(tokens, presented)).toBe(expected)
      }),
    )
  })
})

it('a Secret that is not accepted has a problem', () => {
  expect(knownToken(tokenSecret({ 'token-uses': '3' }))).toBe(
    'annotation machinist.dev/token-uses must be 1, or absent',
  )
})

it('digests have the same length for every token', () => {
  const long = known(tokenSecret({}, { token: 'x'.repeat(256) }))
  expect(long.digests.map(([, digest]) => digest.length)).toEqual([32])
})
