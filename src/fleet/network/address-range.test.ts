import { BlockList, isIPv4, isIPv6 } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addressText } from '@machinist/pki/ip-address'
import { contains, parseAddress, parseClientAddress, parseRange } from './address-range.ts'

const isWithin = (cidr: string, client: string): boolean =>
  contains(parseRange(cidr)!, parseClientAddress(client)!)

describe('a CIDR range', () => {
  it.each([
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.1.2.3/16', '10.1.255.1', true],
    ['10.0.0.5/32', '10.0.0.5', true],
    ['10.0.0.5/32', '10.0.0.4', false],
    ['10.0.0.4/30', '10.0.0.7', true],
    ['10.0.0.4/30', '10.0.0.8', false],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['0.0.0.0/0', 'fd00::1', false],
    ['::/0', '203.0.113.9', false],
    ['::/0', 'fd00::1', true],
    ['fd00::/8', 'fdff::1', true],
    ['fd00:1::/33', 'fd00:1:7fff::1', true],
    ['fd00:1::/33', 'fd00:1:8000::1', false],
    ['10.0.0.0/8', '::ffff:10.0.0.5', true],
    ['10.0.0.0/8', '::ffff:0a00:0005', true],
    ['::ffff:10.0.0.0/104', '10.9.9.9', true],
    ['::ffff:10.0.0.0/104', '::ffff:10.9.9.9', true],
    ['::ffff:10.0.0.0/104', '11.0.0.1', false],
    ['fe80::/64', 'fe80::1%eth0', true],
  ])('%s and %s: %s', (cidr, client, expected) => {
    expect(isWithin(cidr, client)).toBe(expected)
  })

  it.each(['', '10.0.0.0', '10.0.0.0/33', '10.0.0/8', '010.0.0.0/8', 'fd00::/129', '/8', 'a/b'])(
    'is not %j',
    (text) => {
      expect(parseRange(text)).toBeUndefined()
    },
  )

  it.each(['10.0.0.0/8/8', '10.0.0.0/-1', '10.0.0.0/1e1', ' 10.0.0.0/8', '[fd00::]/8'])(
    'is not %j',
    (text) => {
      expect(parseRange(text)).toBeUndefined()
    },
  )

  it("contains the addresses that Node's BlockList finds in it", () => {
    const bytes = (length: number): fc.Arbitrary<Uint8Array> =>
      fc.uint8Array({ minLength: length, maxLength: length })
    const near = (
      length: number,
    ): fc.Arbitrary<{ base: Uint8Array; bit: number; prefix: number }> =>
      fc.record({
        base: bytes(length),
        bit: fc.nat(length * 8 - 1),
        prefix: fc.integer({ min: 1, max: length * 8 }),
      })
    fc.assert(
      fc.property(fc.oneof(near(4), near(16)), ({ base, bit, prefix }) => {
        // The address differs from the base in one bit.
        const client = Uint8Array.from(base)
        client[bit >> 3]! ^= 0x80 >> (bit & 7)
        const family = base.length === 4 ? 'ipv4' : 'ipv6'
        const expected = new BlockList()
        expected.addSubnet(addressText(base), prefix, family)
        const cidr = `${addressText(base)}/${prefix}`
        expect(isWithin(cidr, addressText(client))).toBe(
          expected.check(addressText(client), family),
        )
      }),
    )
  })
})

describe('an address', () => {
  const text = fc.oneof(
    fc.string(),
    fc.ipV4(),
    fc.ipV6(),
    fc
      .array(fc.constantFrom('1', '255', '.', ':', '::', 'ffff', '/', '%', '8'))
      .map((a) => a.join('')),
  )

  it('is parsed from any text without an error, as Node does', () => {
    fc.assert(
      fc.property(text, (any) => {
        const isAddress = isIPv4(any) || (isIPv6(any) && !any.includes('%'))
        expect(parseAddress(any) !== undefined).toBe(isAddress)
        parseClientAddress(any)
        parseRange(any)
      }),
    )
  })

  it('of an IPv4 client is the same in both forms', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(parseClientAddress(`::ffff:${address}`)).toEqual(parseClientAddress(address))
      }),
    )
  })
})
