import { addressText } from '@machinist/pki/ip-address'
import { parseClientAddress } from '../../fleet/network/address-range.ts'
import type { TokenClient } from '../../fleet/provisioning/token-validity.ts'

/** The client of a connection, by its address. */
export function clientOf(address: string): TokenClient {
  const bytes = parseClientAddress(address)
  return { bytes, text: bytes ? addressText(bytes) : unknownAddress }
}

const unknownAddress = 'unknown'

/** The clients that share a rate limit: an IPv4 address, or an IPv6 network, in which a client can choose its address. */
export function limitKey(address: string): string {
  const { bytes } = clientOf(address)
  if (!bytes) return unknownAddress
  return Buffer.from(bytes.length === 4 ? bytes : bytes.subarray(0, 8)).toString('hex')
}
