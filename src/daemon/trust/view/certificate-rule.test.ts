import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { createAuthority } from '@machinist/testing/certificates/tls'
import { sha256Hex } from '@machinist/core/encoding/digest'
import type { CertificateReplacement } from './certificate-rule.ts'
import { staysOnDisk } from './certificate-rule.ts'

const letters = ['a', 'b', 'c'] as const
const known = new Map<string, string>()
beforeAll(() => {
  for (const letter of letters) known.set(letter, createAuthority(letter).certificate)
})

/** `ab` is a bundle of a and b, `-` is no file, anything else is not a bundle. */
function file(text: string): Uint8Array | undefined {
  if (text === '-') return undefined
  return Buffer.from(
    /^[abc]+$/.test(text)
      ? text
          .split('')
          .map((each) => known.get(each))
          .join('')
      : text,
  )
}

const digestOf = (text: string): string =>
  text === 'unknown' || text === 'nothing' ? text : sha256Hex(file(text)!)

const stays = (
  delivery: CertificateReplacement['delivery'],
  disk: string,
  replacement: string,
  desired: string,
): boolean =>
  staysOnDisk({
    delivery,
    disk: file(disk),
    replacement: file(replacement),
    desired: digestOf(desired),
  })

describe('a certificate file', () => {
  it.each([
    // disk, content in the config, desired content: stays?
    ['ab', 'a', 'ab', true],
    ['ab', 'a', 'abc', true],
    ['ab', 'a', 'unknown', true],
    ['ab', 'a', 'nothing', false],
    ['ab', 'a', 'a', false],
    ['a', 'ab', 'ab', false],
    ['a', 'ab', 'abc', false],
    ['a', 'ab', 'unknown', false],
    ['b', 'ab', 'b', true],
    ['ab', 'ba', 'c', false],
    ['ab', 'ab', 'c', false],
    ['ab', '-', 'nothing', true],
    ['ab', 'no bundle', 'c', true],
    ['-', 'a', 'ab', false],
    ['no bundle', 'a', 'ab', false],
    ['', 'a', 'ab', false],
  ] as const)(
    'with rendered delivery: %s, with %s in the config and %s desired, stays: %s',
    (disk, replacement, desired, answer) => {
      expect(stays('rendered', disk, replacement, desired)).toBe(answer)
    },
  )

  it.each([
    ['ab', 'abc', 'abc', true],
    ['ab', '-', 'nothing', true],
    ['-', 'a', 'ab', false],
    ['no bundle', 'a', 'ab', false],
  ] as const)(
    'with direct delivery: %s, with %s in the config and %s desired, stays: %s',
    (disk, replacement, desired, answer) => {
      expect(stays('direct', disk, replacement, desired)).toBe(answer)
    },
  )
})

const some = fc.subarray([...letters]).map((each) => each.join('') || '-')

describe('any config', () => {
  it('removes no CA unless that is the desired state', () => {
    fc.assert(
      fc.property(some, some, some, (disk, replacement, desired) => {
        const isDesired = replacement === desired || desired === '-'
        const known = desired === '-' ? 'nothing' : desired
        const lost = disk.split('').filter((each) => each !== '-' && !replacement.includes(each))
        const stay = stays('rendered', disk, replacement, known)
        expect(stay || lost.length === 0 || (isDesired && replacement !== '-')).toBe(true)
      }),
    )
  })

  it('never replaces the desired content', () => {
    fc.assert(
      fc.property(some, some, (desired, replacement) => {
        fc.pre(desired !== '-' && replacement !== desired)
        expect(stays('rendered', desired, replacement, desired)).toBe(true)
      }),
    )
  })
})
