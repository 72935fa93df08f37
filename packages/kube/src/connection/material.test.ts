import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAuthority } from '@machinist/testing/tls'
import { checkedBundle, checkedPair, checkedToken } from './material.ts'

const [one, two] = [createAuthority('one'), createAuthority('two')]
const client = one.issueClient('ann')

describe('a bundle', () => {
  it('is every certificate that can be read', () => {
    const text = `# first\n${one.certificate}\n\nsubject=/CN=two\n${two.certificate}`
    expect(checkedBundle(text)).toEqual({ value: one.certificate + two.certificate })
  })

  it('does without one that is odd', () => {
    const odd = '-----BEGIN CERTIFICATE-----\nb2Rk\n-----END CERTIFICATE-----\n'
    expect(checkedBundle(odd + one.certificate)).toEqual({ value: one.certificate })
    expect(checkedBundle(odd)).toEqual({ problem: 'it holds no certificate' })
  })

  it('that is still being written is not used, wherever the writing stands', () => {
    const whole = one.certificate + two.certificate
    const good = new Set([one.certificate, whole])
    fc.assert(
      fc.property(fc.integer({ min: 0, max: whole.length }), (length) => {
        const outcome = checkedBundle(whole.slice(0, length))
        // Between two certificates, and before a line is known to be another one, nobody can tell.
        const known = 'value' in outcome ? good.has(outcome.value) : outcome.problem !== ''
        expect(known).toBe(true)
      }),
      { numRuns: 300 },
    )
    expect(checkedBundle(whole.slice(0, -30))).toEqual({
      problem: 'a certificate in it is cut off',
    })
    expect(checkedBundle('')).toEqual({ problem: 'it holds no certificate' })
  })

  it('of any text is good or bad, never a crash', () => {
    const piece = fc.constantFrom(
      '-----BEGIN CERTIFICATE-----',
      '-----END CERTIFICATE-----',
      'AAAA',
      '\n',
      '-',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        expect(checkedBundle(pieces.join(''))).toHaveProperty('problem')
      }),
      { numRuns: 500 },
    )
  })
})

describe('a pair', () => {
  const pair = { cert: client.certificate, key: client.key }

  it('belongs together', () => {
    expect(checkedPair(pair)).toEqual({ value: pair })
    const both = { cert: client.certificate + client.key, key: client.certificate + client.key }
    expect(checkedPair(both)).toEqual({ value: both })
  })

  it.each([
    ['of two', { cert: client.certificate, key: two.key }],
    ['with half a key', { cert: client.certificate, key: client.key.slice(0, -30) }],
    ['without a key', { cert: client.certificate, key: '' }],
  ])('%s is none', (_, halves) => {
    expect(checkedPair(halves)).toEqual({
      problem: 'the key is not readable, or does not belong to the certificate',
    })
  })

  it('with half a certificate is none', () => {
    expect(checkedPair({ ...pair, cert: pair.cert.slice(0, -30) })).toEqual({
      problem: 'a certificate in it is cut off',
    })
  })
})

describe('a token', () => {
  it('is one line', () => {
    expect(checkedToken(' abc.def-ghi_\n')).toEqual({ value: 'abc.def-ghi_' })
    expect(checkedToken('\n')).toEqual({ problem: 'it is empty' })
    for (const text of ['a b', 'a\nb', 'a\0', 'ü', 'a\r\nX-Header: b']) {
      expect(checkedToken(text)).toEqual({ problem: 'it does not hold a token' })
    }
  })
})
