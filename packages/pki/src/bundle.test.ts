import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAuthority } from '@machinist/testing/certificates/tls'
import type { Bundle } from './bundle.ts'
import {
  bundleOf,
  bundlePem,
  difference,
  earliestNotAfter,
  readBundle,
  sameBundle,
  union,
  validAt,
  withoutExpired,
} from './bundle.ts'
import type { Certificate } from './certificate.ts'
import { readCertificate } from './certificate.ts'

const made = ['a', 'b', 'c', 'd'].map((name) => readCertificate(createAuthority(name).certificate))
/** The same certificates with other validity periods. Bundles compare only the fingerprint. */
const certificates: readonly Certificate[] = made.map((each, i) => ({
  ...each,
  notBefore: i * 1000,
  notAfter: (i + 1) * 1000,
}))
const bundles = fc.subarray([...certificates]).map(bundleOf)
const names = (bundle: Bundle): string[] =>
  [...bundle.values()].map(({ commonName }) => commonName ?? '').sort()

describe('a bundle', () => {
  const layouts = fc.record({
    parts: fc.shuffledSubarray([...made], { minLength: 1 }),
    again: fc.subarray([...made]),
    indent: fc.constantFrom('', '  ', '\t'),
    end: fc.constantFrom('\n', '\r\n', '\n\n\n'),
    comment: fc.constantFrom('', '# a comment\n', 'subject=CN = x\n'),
  })

  it('is equal in any order, with duplicates, white space and comments', () => {
    fc.assert(
      fc.property(layouts, ({ parts, again, indent, end, comment }) => {
        const all = [...parts, ...again.filter((each) => parts.includes(each))]
        const text = all.map(({ pem }) => comment + indent + pem.replaceAll('\n', end)).join(end)
        const { bundle, problems } = readBundle(text)
        expect(problems).toEqual([])
        expect(sameBundle(bundle, bundleOf(parts))).toBe(true)
        expect(bundlePem(bundle)).toBe(bundlePem(bundleOf(parts.toReversed())))
      }),
      { numRuns: 100 },
    )
  })

  it('survives a round trip', () => {
    fc.assert(
      fc.property(fc.subarray([...made]).map(bundleOf), (bundle) => {
        const { bundle: again, problems } = readBundle(bundlePem(bundle))
        expect(problems).toEqual([])
        expect([...again.keys()].sort()).toEqual([...bundle.keys()].sort())
      }),
    )
  })

  it('follows the laws of sets', () => {
    fc.assert(
      fc.property(bundles, bundles, bundles, (a, b, c) => {
        expect(sameBundle(union(a, b), union(b, a))).toBe(true)
        expect(sameBundle(union(union(a, b), c), union(a, b, c))).toBe(true)
        expect(sameBundle(union(a, a), a)).toBe(true)
        expect(difference(a, a).size).toBe(0)
        expect(sameBundle(union(difference(a, b), b), union(a, b))).toBe(true)
        expect([...difference(a, b).keys()].some((fingerprint) => b.has(fingerprint))).toBe(false)
        const same = difference(a, b).size === 0 && difference(b, a).size === 0
        expect(sameBundle(a, b)).toBe(same)
        expect(bundlePem(a) === bundlePem(b)).toBe(same)
      }),
      { numRuns: 200 },
    )
  })

  it('drops expired certificates and keeps those that are not valid yet', () => {
    const all = bundleOf(certificates)
    expect(names(withoutExpired(all, 2000))).toEqual(['b', 'c', 'd'])
    expect(names(withoutExpired(all, 2001))).toEqual(['c', 'd'])
    expect(names(withoutExpired(all, 9000))).toEqual([])
    expect(names(validAt(all, 2000))).toEqual(['b', 'c'])
    expect(earliestNotAfter(all)).toBe(1000)
    expect(earliestNotAfter(withoutExpired(all, 2001))).toBe(3000)
    expect(earliestNotAfter(new Map())).toBeUndefined()
  })
})

describe('an invalid bundle', () => {
  const [a, b] = made as [Certificate, Certificate]

  it('keeps the valid certificates and reports the others with their line', () => {
    const notOne = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
    const key = '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n'
    const lines = a.pem.split('\n').length - 1
    const { bundle, problems } = readBundle(
      `${a.pem}${notOne}${key}${b.pem}-----BEGIN CERTIFICATE-----\nAAAA\n`,
    )
    expect(names(bundle)).toEqual(['a', 'b'])
    expect(problems).toEqual([
      { line: lines + 1, message: 'PEM block "CERTIFICATE": not a certificate' },
      { line: lines + 4, message: 'PEM block "PRIVATE KEY" is not a certificate' },
      {
        line: lines + 7 + b.pem.split('\n').length - 1,
        message: 'PEM block "CERTIFICATE" has no END line',
      },
    ])
  })

  it('of any text is parsed without an exception', () => {
    const pieces = fc.oneof(
      fc.string(),
      fc.constantFrom(a.pem, b.pem.slice(0, 200), '-----BEGIN CERTIFICATE-----\n', '\n'),
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 6 }), (parts) => {
        const { bundle } = readBundle(parts.join('\n'))
        expect([...bundle.keys()].every((each) => each === a.fingerprint)).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})
