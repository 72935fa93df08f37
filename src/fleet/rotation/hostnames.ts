import { InvalidInput } from '@machinist/core/errors'
import { addressBytes, addressText } from '@machinist/pki/ip-address'

/** DNS names and IP addresses of a server in normalized form, so that sets can be compared. */
export interface Hostnames {
  readonly dnsNames: readonly string[]
  readonly ipAddresses: readonly string[]
  /** Both, sorted, as in the annotation. */
  readonly all: readonly string[]
}

/** Throws InvalidInput for any other text; `at` is the field for the message. */
export function readHostnames(texts: readonly string[], at: string): Hostnames {
  const dnsNames = new Set<string>()
  const ipAddresses = new Set<string>()
  for (const text of texts) {
    const address = addressIn(text)
    if (address !== undefined) ipAddresses.add(address)
    else if (dnsName.test(text)) dnsNames.add(text.toLowerCase())
    else throw new InvalidInput(`${at}: "${text}" is neither a DNS name nor an IP address`)
  }
  const all = [...dnsNames, ...ipAddresses].sort()
  return { dnsNames: [...dnsNames].sort(), ipAddresses: [...ipAddresses].sort(), all }
}

/** Excludes incomplete IP addresses, which would otherwise be valid names. */
const dnsName = /^(?!.*\.\d+$)(?!\d+$)(\*\.)?[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63})*$/

function addressIn(text: string): string | undefined {
  if (!/^[0-9A-Fa-f.:]+$/.test(text)) return undefined
  try {
    return addressText(addressBytes(text))
  } catch {
    return undefined
  }
}
