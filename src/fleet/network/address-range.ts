import { InvalidInput } from '@machinist/core/errors'
import { addressBytes } from '@machinist/pki/ip-address'

/** A CIDR range: `10.96.0.0/12`. */
export interface AddressRange {
  /** The first address, 4 or 16 bytes; the host bits are 0. */
  readonly base: Uint8Array
  readonly prefix: number
}

/** Undefined if the text is not a CIDR range. */
export function parseRange(text: string): AddressRange | undefined {
  const [, address, length] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? []
  const bytes = address === undefined ? undefined : parseAddress(address)
  const prefix = Number(length)
  if (!bytes || prefix > bytes.length * 8) return undefined
  return { base: masked(bytes, prefix), prefix }
}

/** The bytes of an IP address; undefined if the text is not one. */
export function parseAddress(text: string): Uint8Array | undefined {
  // No address is longer; errors quote the text.
  if (text.length > longestAddress) return undefined
  try {
    return addressBytes(text)
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return undefined
  }
}

const longestAddress = 'ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255'.length

/**
 * The address of a client: sockets for both IP families report IPv4 clients as `::ffff:10.0.0.5`, and link-local ones with an
 * interface, `fe80::1%eth0`.
 */
export function parseClientAddress(text: string): Uint8Array | undefined {
  const [address = ''] = text.split('%', 1)
  const bytes = parseAddress(address)
  return bytes && isMapped(bytes) ? bytes.subarray(mappedPrefix.length) : bytes
}

/** Whether a range contains the address of a client. A range of IPv4-mapped addresses contains IPv4 clients. */
export function contains(range: AddressRange, client: Uint8Array): boolean {
  const { base, prefix } = unmapped(range)
  if (base.length !== client.length) return false
  return Buffer.from(masked(client, prefix)).equals(base)
}

function unmapped({ base, prefix }: AddressRange): AddressRange {
  const mappedBits = mappedPrefix.length * 8
  if (prefix < mappedBits || !isMapped(base)) return { base, prefix }
  return { base: base.subarray(mappedPrefix.length), prefix: prefix - mappedBits }
}

/** `::ffff:0:0/96` */
const mappedPrefix = Buffer.from('00000000000000000000ffff', 'hex')

const isMapped = (bytes: Uint8Array): boolean =>
  bytes.length === 16 && mappedPrefix.equals(bytes.subarray(0, mappedPrefix.length))

function masked(bytes: Uint8Array, prefix: number): Uint8Array {
  return Uint8Array.from(bytes, (byte, index) => {
    const kept = Math.min(Math.max(prefix - index * 8, 0), 8)
    return byte & (0xff00 >> kept)
  })
}
