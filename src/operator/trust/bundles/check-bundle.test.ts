import { X509Certificate } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ca, expiredCA, today } from '@machinist/testing/certificates/certificates'
import { checkBundle, isFault, nextExpiry } from './check-bundle.ts'

const a = await ca('A')
const b = await ca('B', Date.parse('2026-04-01T00:00:00Z'))
const key = '-----BEGIN PRIVATE KEY-----\nQ0FOQVJZ\n-----END PRIVATE KEY-----\n'
const resultOf = (text: string | Uint8Array): string | number => {
  const checked = checkBundle(Buffer.from(text), today)
  return isFault(checked) ? `${checked.reason}: ${checked.detail}` : checked.size
}

describe('a bundle', () => {
  it.each([
    ['one', a, 1],
    ['two', a + b, 2],
    ['with duplicates', a + b + a, 2],
    ['with CRLF', (a + b).replaceAll('\n', '\r\n'), 2],
    ['without a final newline', a.trimEnd(), 1],
    ['with text between', `# Zürich\n${a}Subject: B\n${b}`, 2],
    ['with an expired certificate', expiredCA + a, 2],
  ])('is valid: %s', (_, text, size) => {
    expect(resultOf(text)).toBe(size)
  })

  it('may become valid tomorrow: clocks differ', async () => {
    expect(isFault(checkBundle(Buffer.from(await ca('new')), 0))).toBe(false)
  })

  it.each([
    ['nothing', '', 'Empty: it is empty; add the certificates as PEM'],
    ['whitespace', ' \r\n\t\n', 'Empty: it is empty; add the certificates as PEM'],
    ['garbage', 'hello', 'NotPEM: it has no certificate in PEM; add the certificates as PEM'],
    [
      'DER',
      new X509Certificate(a).raw,
      'NotPEM: it is DER, not PEM; convert it with openssl x509 -inform der',
    ],
    [
      'cut off',
      a + b.slice(0, 200),
      `BrokenPEM: line ${a.split('\n').length}: PEM block "CERTIFICATE" has no END line; write the whole file again`,
    ],
    [
      'broken inside',
      `\n\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n${a}`,
      'BrokenPEM: line 3: PEM block "CERTIFICATE": not a certificate; write the whole file again',
    ],
    [
      'glued together',
      `${a.trimEnd()}${b}`,
      'BrokenPEM: line 1: PEM block "CERTIFICATE" ends with another label, and 1 more problems; write the whole file again',
    ],
    [
      'a private key among certificates',
      a + key,
      `BrokenPEM: line ${a.split('\n').length}: PEM block "PRIVATE KEY" is not a certificate; write the whole file again`,
    ],
    [
      'all expired',
      expiredCA,
      'Expired: all certificates have expired, the last at 2026-02-28T00:00:00.000Z; renew them',
    ],
    [
      'more than 1 MiB',
      `${a}${'#'.repeat(1024 * 1024)}`,
      'TooLarge: it has more than 1048576 bytes; remove unneeded certificates',
    ],
  ])('is invalid: %s', (_, text, fault) => {
    expect(resultOf(text)).toBe(fault)
  })

  it('is reported with the number of broken blocks', () => {
    const broken = '-----BEGIN CERTIFICATE-----\n?\n-----END CERTIFICATE-----\n'
    expect(resultOf(broken + broken + broken)).toContain(', and 2 more problems')
  })

  it('is never quoted in problems', () => {
    const block = fc
      .tuple(fc.constantFrom('CERTIFICATE', 'RSA PRIVATE KEY', 'X'), fc.string())
      .map(([label, body]) => `-----BEGIN ${label}-----\nCANARY${body}\n-----END ${label}-----\n`)
    const piece = fc.oneof(fc.string(), block, fc.constantFrom(a, expiredCA, a.slice(0, 99)))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), (pieces) => {
        const text = resultOf(pieces.join(''))
        expect(typeof text === 'number' ? text > 0 : !text.includes('CANARY')).toBe(true)
      }),
      { numRuns: 300 },
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(isFault(checkBundle(bytes, today))).toBe(true)
      }),
    )
  })

  it('expires with the first certificate that has not expired yet', () => {
    const bundle = checkBundle(Buffer.from(expiredCA + a + b), today)
    if (isFault(bundle)) throw new Error(bundle.detail)
    expect(nextExpiry(bundle, today)).toBe(Date.parse('2026-04-01T00:00:00Z'))
    expect(nextExpiry(bundle, Date.parse('2100-01-01'))).toBeUndefined()
  })
})
