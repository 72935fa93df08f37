import { InvalidInput } from '@machinist/core/errors'
import { readPem, toPem } from '@machinist/core/encoding/pem'
import { identifiers } from '@machinist/core/encoding/pkcs10'
import { plain, quoted } from '@machinist/core/quoted'
import type { CertificateSigningRequest } from '@machinist/kube/kinds/certificates'
import type { CertificateRequest } from '@machinist/pki/certificate-request'
import { readRequest } from '@machinist/pki/certificate-request'
import { canonicalAddress, canonicalName, isReservedName } from '../nodes/node-names.ts'
import type { Requester } from './requester.ts'
import { nodeGroup, nodeUser, requesterOf } from './requester.ts'
import type { Refusal, CheckName } from './refusals.ts'

/** The content of a well-formed request. */
export interface Claim {
  readonly kind: ClaimKind
  /** The node's name. */
  readonly node: string
  /** The canonical names of a serving certificate. */
  readonly names: readonly string[]
}

/** `join`: the first client certificate of a node that is new or was off for too long. `renewal`: its next one. */
export type ClaimKind = 'join' | 'renewal' | 'serving'

export const signers = {
  client: 'kubernetes.io/kube-apiserver-client-kubelet',
  serving: 'kubernetes.io/kubelet-serving',
} as const

/** Checks a request without any other facts. Pure; the content of a request never changes. */
export function readClaim({ spec }: Readonly<CertificateSigningRequest>): Claim | Refusal {
  const read = contentOf(spec.request)
  if ('check' in read) return read
  const node = nodeIn(read)
  if (typeof node !== 'string') return node
  const isServing = spec.signerName === signers.serving
  const refusal = wrongUsages(spec.usages ?? [], isServing) ?? wrongNames(read, isServing)
  if (refusal) return refusal
  const requester = requesterOf(spec)
  const unauthorized = wrongRequester(requester, node, isServing, spec.username)
  if (unauthorized) return unauthorized
  const kind = isServing ? 'serving' : requester.type === 'node' ? 'renewal' : 'join'
  return { kind, node, names: namesIn(read) }
}

const label = 'CERTIFICATE REQUEST'

/**
 * Accepts only the format that kubelets send: the signer parses the text with another parser, which must not find another
 * request in it.
 */
function contentOf(request: string): CertificateRequest | Refusal {
  const pem = Buffer.from(request, 'base64').toString('latin1').trim().replaceAll('\r\n', '\n')
  const [block] = readPem(pem).blocks
  if (!block || toPem(label, block.der).trim() !== pem) {
    return refused('Unreadable', `the request is not one plain PEM block "${label}"`)
  }
  try {
    return readRequest(pem)
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return refused('Unreadable', error.message)
  }
}

const goodNodeName = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/

function nodeIn({ subject, commonName = '', organizations }: CertificateRequest): string | Refusal {
  const node = commonName.startsWith(nodeUser) ? commonName.slice(nodeUser.length) : ''
  if (!goodNodeName.test(node)) {
    return refused('Subject', `its common name ${quoted(commonName)} is not ${nodeUser}<node>`)
  }
  if (organizations.length !== 1 || organizations[0] !== nodeGroup) {
    const found = organizations.slice(0, maxNamed).map(quoted).join(', ') || 'none'
    return refused('Subject', `its organization must be only ${nodeGroup}, and is ${found}`)
  }
  const odd = subject.find(({ type }) => !expectedParts.has(type))
  if (odd)
    return refused(
      'Subject',
      `its subject has the attribute ${plain(odd.type)}, which nodes do not have`,
    )
  if (subject.length !== expectedParts.size) {
    return refused('Subject', 'its subject has more than one common name')
  }
  return node
}

const expectedParts: ReadonlySet<string> = new Set([
  identifiers.commonName,
  identifiers.organization,
])

/** Not requested for keys that cannot encipher, such as elliptic curve keys. */
const optionalUsage = 'key encipherment'

function wrongUsages(usages: readonly string[], isServing: boolean): Refusal | undefined {
  const expected = ['digital signature', isServing ? 'server auth' : 'client auth']
  const requested = new Set(usages.filter((usage) => usage !== optionalUsage))
  if (requested.size === expected.length && expected.every((usage) => requested.has(usage))) {
    return undefined
  }
  const found = usages.slice(0, maxNamed).map(quoted).join(', ') || 'none'
  const allowed = `${expected.join(' and ')}, optionally ${optionalUsage}`
  return refused('Usages', `its usages must be ${allowed}, and are ${found}`)
}

function wrongNames(read: CertificateRequest, isServing: boolean): Refusal | undefined {
  const names = [...read.dnsNames, ...read.ipAddresses]
  const check = 'AlternativeNames'
  if (!isServing) {
    const [first] = names
    if (first === undefined) return undefined
    return refused(
      check,
      `a client certificate has no alternative names, and it requests ${quoted(first)}`,
    )
  }
  if (names.length === 0) return refused(check, 'it requests no name to serve under')
  const reserved = names.find(isReservedName)
  if (reserved === undefined) return undefined
  return refused(check, `${quoted(reserved)} is never the name of one node`)
}

const namesIn = ({ dnsNames, ipAddresses }: CertificateRequest): string[] => [
  ...dnsNames.map(canonicalName),
  ...ipAddresses.map((address) => canonicalAddress(address)!),
]

function wrongRequester(
  requester: Requester,
  node: string,
  isServing: boolean,
  username = '',
): Refusal | undefined {
  if (requester.type === 'node' && requester.node === node) return undefined
  if (requester.type === 'bootstrapper' && !isServing) return undefined
  const who = isServing ? 'node itself' : 'node itself or a bootstrapper'
  return refused(
    'Requester',
    `only the ${who} may request a certificate for ${node}, and ${quoted(username)} does`,
  )
}

const maxNamed = 5

const refused = (check: CheckName, why: string): Refusal => ({ check, why, isFinal: true })
