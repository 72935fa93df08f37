import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAuthority } from '@machinist/testing/certificates/tls'
import { checkBundle, checkKeyPair, checkToken } from './material.ts'

const [one, two] = [createAuthority('one'), createAuthority('two')]
const client = one.issueClient('ann')

describe('a bundle', () => {
  it('contains every valid certificate', () => {
    const text = `# first\n${one.certificate}\n\nsubject=/CN=two\n${two.certificate}`
    expect(checkBundle(text)).toEqual({ value: one.certificate + two.certificate })
  })

  it('skips an invalid certificate', () => {
    const odd = '-----BEGIN CERTIFICATE-----\nb2Rk\n-----END CERTIFICATE-----\n'
    expect(checkBundle(odd + one.certificate)).toEqual({ value: one.certificate })
    expect(checkBundle(odd)).toEqual({ problem: 'it contains no certificate' })
  })

  it('that is truncated anywhere is rejected', () => {
    const whole = one.certificate + two.certificate
    const good = new Set([one.certificate, whole])
    fc.assert(
      fc.property(fc.integer({ min: 0, max: whole.length }), (length) => {
        const outcome = checkBundle(whole.slice(0, length))
        // A truncation between two certificates cannot be detected.
        const known = 'value' in outcome ? good.has(outcome.value) : outcome.problem !== ''
        expect(known).toBe(true)
      }),
      { numRuns: 300 },
    )
    expect(checkBundle(whole.slice(0, -30))).toEqual({
      problem: 'it contains a truncated certificate',
    })
    expect(checkBundle('')).toEqual({ problem: 'it contains no certificate' })
  })

  it('of any text is valid or invalid, and never throws', () => {
    const piece = fc.constantFrom(
      '-----BEGIN CERTIFICATE-----',
      '-----END CERTIFICATE-----',
      'AAAA',
      '\n',
      '-',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        expect(checkBundle(pieces.join(''))).toHaveProperty('problem')
      }),
      { numRuns: 500 },
    )
  })
})

describe('a pair', () => {
  const pair = { cert: client.certificate, key: client.key }

  it('is valid if the key matches', () => {
    expect(checkKeyPair(pair)).toEqual({ value: pair })
    const both = { cert: client.certificate + client.key, key: client.certificate + client.key }
    expect(checkKeyPair(both)).toEqual({ value: both })
  })

  it.each([
    ['with the key of another certificate', { cert: client.certificate, key: two.key }],
    ['with a truncated key', { cert: client.certificate, key: client.key.slice(0, -30) }],
    ['without a key', { cert: client.certificate, key: '' }],
  ])('%s is invalid', (_, halves) => {
    expect(checkKeyPair(halves)).toEqual({
      problem: 'the key is invalid or does not match the certificate',
    })
  })

  it('with a truncated certificate is invalid', () => {
    expect(checkKeyPair({ ...pair, cert: pair.cert.slice(0, -30) })).toEqual({
      problem: 'it contains a truncated certificate',
    })
  })
})

describe('a token', () => {
  it('is one line', () => {
    expect(checkToken(' abc.def-ghi_\n')).toEqual({ value: 'abc.def-ghi_' })
    expect(checkToken('\n')).toEqual({ problem: 'it is empty' })
    for (const text of ['a b', 'a\nb', 'a\0', 'ü', 'a\r\nX-Header: b']) {
      expect(checkToken(text)).toEqual({ problem: 'it does not contain a token' })
    }
  })
})
