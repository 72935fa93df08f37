import { InvalidInput } from '@machinist/core/errors'
import { addressBytes, addressText } from '@machinist/pki/ip-address'

/** Names and addresses of a server, each in one form only, so that sets of them can be compared. */
export interface Hostnames {
  readonly dnsNames: readonly string[]
  readonly ipAddresses: readonly string[]
  /** Both, sorted: as the annotation has them. */
  readonly all: readonly string[]
}

/** Throws InvalidInput for what is neither; `at` tells where it stands. */
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

/** Not an address with a part missing, which would pass for a name. */
const dnsName = /^(?!.*\.\d+$)(?!\d+$)(\*\.)?[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63})*$/

function addressIn(text: string): string | undefined {
  if (!/^[0-9A-Fa-f.:]+$/.test(text)) return undefined
  try {
    return addressText(addressBytes(text))
  } catch {
    return undefined
  }
}
