import { InvalidInput } from '@machinist/core/errors'
import type { Node } from '@machinist/kube/kinds/core'
import { addressBytes, addressText } from '@machinist/pki/ip-address'

/** Names and addresses that a Node says it has, in the form in which they are compared. */
export function namesOf({ status }: Readonly<Node>): string[] {
  return (status?.addresses ?? []).flatMap(({ type, address }): string[] => {
    const ip = canonicalAddress(address)
    if (ipTypes.has(type)) return ip === undefined ? [] : [ip]
    // Where a machine has no name, kubelets take its address for it.
    if (nameTypes.has(type)) return [ip ?? canonicalName(address)]
    return []
  })
}

const ipTypes: ReadonlySet<string> = new Set(['InternalIP', 'ExternalIP'])
const nameTypes: ReadonlySet<string> = new Set(['Hostname', 'InternalDNS', 'ExternalDNS'])

/** `dns:worker-1`. Marked as what it is, so that no name can pass for an address. */
export function canonicalName(name: string): string {
  return `dns:${name.toLowerCase().replace(/\.$/, '')}`
}

/** `ip:fd00::1`, one text for each address however it is written; undefined if it is none. */
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

/** What stands before an IPv4 address that is written as one of IPv6. */
const mapped = Buffer.from('00000000000000000000ffff', 'hex')

/** Names that no Node can have for itself: who serves under them could pass for the API server or for any machine. */
export function isNobodys(name: string): boolean {
  const address = canonicalAddress(name)
  if (address !== undefined) return anyMachine.test(address)
  const lower = canonicalName(name)
  return lower.includes('*') || nobodysNames.has(lower) || services.test(lower)
}

const anyMachine = /^ip:(127\.|0\.0\.0\.0$|::1?$)/
const nobodysNames: ReadonlySet<string> = new Set([
  'dns:',
  'dns:localhost',
  'dns:kubernetes',
  'dns:kubernetes.default',
])
const services = /\.(svc|cluster\.local)$/
