import { InvalidInput } from '@machinist/core/errors'
import type { Node } from '@machinist/kube/kinds/core'
import { addressBytes, addressText } from '@machinist/pki/ip-address'

/** The names and addresses in the status of a Node, in canonical form. */
export function namesOf({ status }: Readonly<Node>): string[] {
  return (status?.addresses ?? []).flatMap(({ type, address }): string[] => {
    const ip = canonicalAddress(address)
    if (ipTypes.has(type)) return ip === undefined ? [] : [ip]
    // Kubelets use the address as the host name of a machine without one.
    if (nameTypes.has(type)) return [ip ?? canonicalName(address)]
    return []
  })
}

const ipTypes: ReadonlySet<string> = new Set(['InternalIP', 'ExternalIP'])
const nameTypes: ReadonlySet<string> = new Set(['Hostname', 'InternalDNS', 'ExternalDNS'])

/** `dns:worker-1`. The prefix keeps names and addresses apart. */
export function canonicalName(name: string): string {
  return `dns:${name.toLowerCase().replace(/\.$/, '')}`
}

/** `ip:fd00::1`, the same text for every notation of an address; undefined if it is not an address. */
export function canonicalAddress(text: string): string | undefined {
  try {
    const bytes = addressBytes(text)
    const isMapped = bytes.length === 16 && mapped.equals(bytes.subarray(0, mapped.length))
    return `ip:${addressText(isMapped ? bytes.subarray(mapped.length) : bytes)}`
  } catch (error) {
    if (error instanceof InvalidInput) return undefined
    throw error
  }
}

/** The prefix of IPv4-mapped IPv6 addresses. */
const mapped = Buffer.from('00000000000000000000ffff', 'hex')

/** Names that no Node may serve under: a server with one of them could impersonate the API server or any machine. */
export function isReservedName(name: string): boolean {
  const address = canonicalAddress(name)
  if (address !== undefined) return reservedAddresses.test(address)
  const lower = canonicalName(name)
  return lower.includes('*') || reservedNames.has(lower) || services.test(lower)
}

const reservedAddresses = /^ip:(127\.|0\.0\.0\.0$|::1?$)/
const reservedNames: ReadonlySet<string> = new Set([
  'dns:',
  'dns:localhost',
  'dns:kubernetes',
  'dns:kubernetes.default',
])
const services = /\.(svc|cluster\.local)$/
