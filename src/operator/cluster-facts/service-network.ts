import { addressText } from '@machinist/pki/ip-address'
import type { AddressRange } from '../../fleet/network/address-range.ts'
import { parseAddress } from '../../fleet/network/address-range.ts'

/** By convention, the cluster DNS has this host number in the service network. */
const dnsHost = 10

/** The beginning of the service network, which contains the address of the API server's Service. Its size is unknown and not needed. */
export function rangeFrom(apiServiceAddress: string): AddressRange | undefined {
  const bytes = parseAddress(apiServiceAddress)
  if (!bytes) return undefined
  const base = Uint8Array.from(bytes)
  base[base.length - 1] = bytes.at(-1)! & 0xf0
  return { base, prefix: bytes.length * 8 - 4 }
}

/** Undefined if the range has no such address. */
export function clusterDNSIP({ base, prefix }: AddressRange): string | undefined {
  if (base.length * 8 - prefix < 4) return undefined
  const address = Uint8Array.from(base)
  // The last four bits are 0.
  address[address.length - 1]! += dnsHost
  return addressText(address)
}

/** The value of `ipFamilies` in the ControllerConfig. */
export function ipFamilies(ranges: readonly [AddressRange, ...AddressRange[]]): string {
  const [first] = ranges
  const families = new Set(ranges.map(familyOf))
  if (families.size === 1) return familyOf(first)
  return familyOf(first) === 'IPv6' ? 'DualStackIPv6Primary' : 'DualStack'
}

const familyOf = ({ base }: AddressRange): 'IPv4' | 'IPv6' => (base.length === 4 ? 'IPv4' : 'IPv6')
