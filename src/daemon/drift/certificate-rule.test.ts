import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { createAuthority } from '@machinist/testing/tls'
import { sha256Hex } from '@machinist/core/digest'
import type { Replacing } from './certificate-rule.ts'
import { staysOnDisk } from './certificate-rule.ts'

const letters = ['a', 'b', 'c'] as const
const known = new Map<string, string>()
beforeAll(() => {
  for (const letter of letters) known.set(letter, createAuthority(letter).certificate)
})

/** `ab` is a bundle of a and b, `-` is nothing at all, anything else is no bundle. */
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
  delivery: Replacing['delivery'],
  disk: string,
  brought: string,
  wanted: string,
): boolean =>
  staysOnDisk({ delivery, disk: file(disk), brought: file(brought), wanted: digestOf(wanted) })

describe('a file of certificates', () => {
  it.each([
    // disk, brought by a config, wanted by the cluster: stays?
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
    'rendered: %s, with %s to come and %s wanted, stays: %s',
    (disk, brought, wanted, answer) => {
      expect(stays('rendered', disk, brought, wanted)).toBe(answer)
    },
  )

  it.each([
    ['ab', 'abc', 'abc', true],
    ['ab', '-', 'nothing', true],
    ['-', 'a', 'ab', false],
    ['no bundle', 'a', 'ab', false],
  ] as const)(
    'direct: %s, with %s to come and %s wanted, stays: %s',
    (disk, brought, wanted, answer) => {
      expect(stays('direct', disk, brought, wanted)).toBe(answer)
    },
  )
})

const some = fc.subarray([...letters]).map((each) => each.join('') || '-')

describe('whatever a config brings', () => {
  it('takes away no CA unless the cluster wants exactly that', () => {
    fc.assert(
      fc.property(some, some, some, (disk, brought, wanted) => {
        const isWanted = brought === wanted || wanted === '-'
        const asked = wanted === '-' ? 'nothing' : wanted
        const lost = disk.split('').filter((each) => each !== '-' && !brought.includes(each))
        const stay = stays('rendered', disk, brought, asked)
        expect(stay || lost.length === 0 || (isWanted && brought !== '-')).toBe(true)
      }),
    )
  })

  it('never brings the cluster further from what it wants', () => {
    fc.assert(
      fc.property(some, some, (wanted, brought) => {
        fc.pre(wanted !== '-' && brought !== wanted)
        expect(stays('rendered', wanted, brought, wanted)).toBe(true)
      }),
    )
  })
})
