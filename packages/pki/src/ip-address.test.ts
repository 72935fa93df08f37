import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidInput } from '@machinist/core/errors'
import { addressBytes, addressText } from './ip-address.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

describe('an IP address', () => {
  it.each([
    ['127.0.0.1', '7f000001'],
    ['10.255.0.9', '0aff0009'],
    ['::1', '00000000000000000000000000000001'],
    ['::', '00000000000000000000000000000000'],
    ['fd00::1:2', 'fd000000000000000000000000010002'],
    ['2001:DB8:0:0:8:800:200C:417A', '20010db80000000000080800200c417a'],
    ['::ffff:1.2.3.4', '00000000000000000000ffff01020304'],
  ])('%s is %s', (text, bytes) => {
    expect(hex(addressBytes(text))).toBe(bytes)
  })

  it.each([
    '',
    'localhost',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '010.0.0.1',
    '1.2.3.04',
    '0x7f.0.0.1',
    '1:2',
    ':::',
    'fe80::1%eth0',
    '[::1]',
  ])('rejects %j', (text) => {
    expect(() => addressBytes(text)).toThrow(new InvalidInput(`"${text}" is not an IP address`))
  })

  it('survives a round trip', () => {
    const bytes = (length: number): fc.Arbitrary<Uint8Array> =>
      fc.uint8Array({ minLength: length, maxLength: length })
    fc.assert(
      fc.property(fc.oneof(bytes(4), bytes(16)), (address) => {
        expect(hex(addressBytes(addressText(address)))).toBe(hex(address))
      }),
    )
  })

  it('has 4 or 16 bytes', () => {
    expect(() => addressText(new Uint8Array(5))).toThrow('an IP address has 4 or 16 bytes')
  })
})
