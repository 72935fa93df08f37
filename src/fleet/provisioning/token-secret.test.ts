import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Secret } from '@machinist/kube/kinds/core'
import { managedTokenKey, readRanges, readTokenSecret } from './token-secret.ts'
import { isToken, tokenText } from './token-text.ts'
import { sampleToken, tokenSecret } from './token.fixture.ts'

const [a, b] = [sampleToken('a'), sampleToken('b')]
const read = (secret: Secret): unknown => {
  const reading = readTokenSecret(secret)
  return reading.type === 'token' ? reading.token : reading.problem
}

describe('a token Secret', () => {
  it('of a user', () => {
    expect(read(tokenSecret())).toEqual({
      name: 'lab',
      pool: 'worker',
      current: a,
      isSingleUse: false,
      isRevoked: false,
    })
  })

  it('with everything', () => {
    const annotations = {
      'token-issued-at': '2026-01-01T00:00:00Z',
      'previous-valid-until': '2026-01-08T00:00:00Z',
      'token-expires-at': '2026-02-01T00:00:00Z',
      'token-cidrs': '10.0.0.0/8, fd00::/8',
      'token-uses': '1',
      'token-used-at': '2026-01-02T00:00:00Z',
      'token-used-by': '10.0.0.5',
    }
    const secret = tokenSecret(annotations, { token: `${a}\n`, previous: b })
    secret.metadata.deletionTimestamp = '2026-01-03T00:00:00Z'
    expect(read(secret)).toEqual({
      name: 'lab',
      pool: 'worker',
      current: a,
      previous: { text: b, validUntil: Date.parse('2026-01-08T00:00:00Z') },
      issuedAt: Date.parse('2026-01-01T00:00:00Z'),
      expiresAt: Date.parse('2026-02-01T00:00:00Z'),
      ranges: [
        { base: Uint8Array.from([10, 0, 0, 0]), prefix: 8 },
        { base: Uint8Array.from([0xfd, ...Array.from({ length: 15 }, () => 0)]), prefix: 8 },
      ],
      isSingleUse: true,
      used: { at: Date.parse('2026-01-02T00:00:00Z'), by: '10.0.0.5' },
      isRevoked: true,
    })
  })

  it.each([
    ['type must be machinist.dev/provisioning-token', { ...tokenSecret(), type: 'Opaque' }],
    [
      'label machinist.dev/pool must name the pool',
      { ...tokenSecret(), metadata: { name: 'lab', labels: {} } },
    ],
    [
      'data.token must have 32 to 256 characters of A-Z, a-z, 0-9, - and _',
      tokenSecret({}, { token: 'short' }),
    ],
    [
      'data.token must have 32 to 256 characters of A-Z, a-z, 0-9, - and _',
      tokenSecret({}, { previous: b }),
    ],
    [
      'annotation machinist.dev/token-expires-at must be a time such as 2026-01-01T00:00:00Z',
      tokenSecret({ 'token-expires-at': 'tomorrow' }),
    ],
    [
      'annotation machinist.dev/token-cidrs must be 1 to 256 ranges such as 10.0.0.0/8,fd00::/8',
      tokenSecret({ 'token-cidrs': '10.0.0.0/8,10.0.0.5' }),
    ],
    [
      'annotation machinist.dev/token-cidrs must be 1 to 256 ranges such as 10.0.0.0/8,fd00::/8',
      tokenSecret({ 'token-cidrs': '' }),
    ],
    [
      'annotation machinist.dev/token-uses must be 1, or absent',
      tokenSecret({ 'token-uses': '2' }),
    ],
  ])('is not accepted: %s', (problem, secret) => {
    expect(read(secret)).toBe(problem)
  })

  it('without a readable end has no previous token', () => {
    const texts = { token: a, previous: b }
    expect(read(tokenSecret({}, texts))).not.toHaveProperty('previous')
    const odd = tokenSecret({ 'previous-valid-until': 'soon' }, texts)
    expect(read(odd)).not.toHaveProperty('previous')
  })

  it('with one of the annotations of a use is used', () => {
    const at = Date.parse('2026-01-02T00:00:00Z')
    const annotations = { 'token-uses': '1', 'token-used-at': '2026-01-02T00:00:00Z' }
    expect(read(tokenSecret(annotations))).toMatchObject({ used: { at, by: '' } })
    const by = tokenSecret({ 'token-uses': '1', 'token-used-by': '10.0.0.5' })
    expect(read(by)).toMatchObject({ used: { at: undefined, by: '10.0.0.5' } })
    const odd = tokenSecret({ 'token-uses': '1', 'token-used-at': 'then' })
    expect(read(odd)).toMatchObject({ used: { at: undefined, by: '' } })
  })

  it('of any content is read without an error, and its problem quotes nothing', () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('1', a, '2026-01-01T00:00:00Z', '10.0.0.0/8'),
    )
    const key = fc.constantFrom(
      'token-issued-at',
      'previous-valid-until',
      'token-expires-at',
      'token-cidrs',
      'token-uses',
      'token-used-at',
      'token-used-by',
    )
    const secret = 'SECRET'.repeat(8)
    fc.assert(
      fc.property(
        fc.dictionary(key, text),
        fc.dictionary(fc.constantFrom('token', 'previous'), text),
        (annotations, texts) => {
          const reading = readTokenSecret(
            tokenSecret(annotations, { token: `${secret}!`, ...texts }),
          )
          const isSound =
            reading.type === 'token'
              ? isToken(reading.token.current)
              : !reading.problem.includes('SECRET')
          expect(isSound).toBe(true)
        },
      ),
    )
  })
})

describe('ranges', () => {
  it('are limited', () => {
    const many = (n: number): string => Array.from({ length: n }, () => '10.0.0.0/8').join()
    expect(readRanges(many(256))).toHaveLength(256)
    expect(readRanges(many(257))).toBeUndefined()
  })

  it('are all read, or none', () => {
    const part = fc.constantFrom('10.0.0.0/8', 'fd00::/8', '', 'x', '10.0.0.1', ' 10.0.0.0/8 ')
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
        const ranges = readRanges(parts.join())
        const isValid = parts.every((each) => each.includes('/'))
        expect(ranges?.length).toBe(isValid ? parts.length : undefined)
      }),
    )
  })
})

it('a new token has 43 characters, whatever its bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      expect(tokenText(bytes)).toHaveLength(43)
      expect(isToken(tokenText(bytes))).toBe(true)
    }),
  )
})

it('the managed Secret is named after the pool', () => {
  expect(managedTokenKey('infra')).toEqual({
    namespace: 'machinist-provisioning',
    name: 'provisioning-token-infra',
  })
})
