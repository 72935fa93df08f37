import * as fc from 'fast-check'
import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ca, expiredCA, today } from '@machinist/testing/certificates'
import { checkBundle, isFault, nextExpiry } from './check-bundle.ts'

const a = await ca('A')
const b = await ca('B', Date.parse('2026-04-01T00:00:00Z'))
const key = '-----BEGIN PRIVATE KEY-----\nQ0FOQVJZ\n-----END PRIVATE KEY-----\n'
const said = (text: string | Uint8Array): string | number => {
  const checked = checkBundle(Buffer.from(text), today)
  return isFault(checked) ? `${checked.reason}: ${checked.what}` : checked.size
}

describe('a bundle', () => {
  it.each([
    ['one', a, 1],
    ['two', a + b, 2],
    ['twice the same', a + b + a, 2],
    ['with CRLF', (a + b).replaceAll('\n', '\r\n'), 2],
    ['without a last line end', a.trimEnd(), 1],
    ['with text between', `# Zürich\n${a}Subject: B\n${b}`, 2],
    ['with one that has expired', expiredCA + a, 2],
  ])('is good: %s', (_, text, size) => {
    expect(said(text)).toBe(size)
  })

  it('may begin tomorrow: clocks differ', async () => {
    expect(isFault(checkBundle(Buffer.from(await ca('new')), 0))).toBe(false)
  })

  it.each([
    ['nothing', '', 'Empty: is empty: put the certificates there as PEM'],
    ['blanks', ' \r\n\t\n', 'Empty: is empty: put the certificates there as PEM'],
    ['garbage', 'hello', 'NotPEM: holds no certificate in PEM: put the certificates there as PEM'],
    [
      'DER',
      new X509Certificate(a).raw,
      'NotPEM: is DER rather than PEM: convert it with openssl x509 -inform der',
    ],
    [
      'cut off',
      a + b.slice(0, 200),
      `BrokenPEM: line ${a.split('\n').length}: PEM block "CERTIFICATE" has no END line: put the whole file there again`,
    ],
    [
      'broken inside',
      `\n\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n${a}`,
      'BrokenPEM: line 3: PEM block "CERTIFICATE": this is not a certificate: put the whole file there again',
    ],
    [
      'glued together',
      `${a.trimEnd()}${b}`,
      'BrokenPEM: line 1: PEM block "CERTIFICATE" ends with another label, and 1 more like it: put the whole file there again',
    ],
    [
      'a key among them',
      a + key,
      `BrokenPEM: line ${a.split('\n').length}: PEM block "PRIVATE KEY" is no certificate: put the whole file there again`,
    ],
    [
      'all expired',
      expiredCA,
      'Expired: every certificate has expired, the last at 2026-02-28T00:00:00.000Z: renew them',
    ],
    [
      'more than 1 MiB',
      `${a}${'#'.repeat(1024 * 1024)}`,
      'TooLarge: has more than 1048576 bytes: leave out what is not needed',
    ],
  ])('is bad: %s', (_, text, fault) => {
    expect(said(text)).toBe(fault)
  })

  it('tells how many blocks are broken', () => {
    const broken = '-----BEGIN CERTIFICATE-----\n?\n-----END CERTIFICATE-----\n'
    expect(said(broken + broken + broken)).toContain(', and 2 more like it')
  })

  it('never quotes what it holds, whatever that is', () => {
    const block = fc
      .tuple(fc.constantFrom('CERTIFICATE', 'RSA PRIVATE KEY', 'X'), fc.string())
      .map(([label, body]) => `-----BEGIN ${label}-----\nCANARY${body}\n-----END ${label}-----\n`)
    const piece = fc.oneof(fc.string(), block, fc.constantFrom(a, expiredCA, a.slice(0, 99)))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), (pieces) => {
        const text = said(pieces.join(''))
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

  it('ends when the first ends that has not ended yet', () => {
    const bundle = checkBundle(Buffer.from(expiredCA + a + b), today)
    if (isFault(bundle)) throw new Error(bundle.what)
    expect(nextExpiry(bundle, today)).toBe(Date.parse('2026-04-01T00:00:00Z'))
    expect(nextExpiry(bundle, Date.parse('2100-01-01'))).toBeUndefined()
  })
})
