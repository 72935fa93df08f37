import { InvalidInput } from '@machinist/core/errors'
import { readPem, toPem } from '@machinist/core/pem'
import { identifiers } from '@machinist/core/pkcs10'
import { plain, quoted } from '@machinist/core/quoted'
import type { CertificateSigningRequest } from '@machinist/kube/kinds/certificates'
import type { CertificateRequest } from '@machinist/pki/certificate-request'
import { readRequest } from '@machinist/pki/certificate-request'
import { canonicalAddress, canonicalName, isNobodys } from './node-names.ts'
import type { Requester } from './requester.ts'
import { nodeGroup, nodeUser, requesterOf } from './requester.ts'
import type { Refusal, Rule } from './rules.ts'

/** What a request that is well made asks for. */
export interface Claim {
  readonly kind: ClaimKind
  /** The node's name. */
  readonly node: string
  /** For a serving certificate, in the form in which nodes' names are compared. */
  readonly names: readonly string[]
}

/** A new node's (or that of one which was away for too long) first certificate, its next one, or the one it serves with. */
export type ClaimKind = 'join' | 'renewal' | 'serving'

export const signers = {
  client: 'kubernetes.io/kube-apiserver-client-kubelet',
  serving: 'kubernetes.io/kubelet-serving',
} as const

/** Pure: all that can be said about a request without looking at anything else. What it says never changes. */
export function readClaim({ spec }: Readonly<CertificateSigningRequest>): Claim | Refusal {
  const read = contentOf(spec.request)
  if ('rule' in read) return read
  const node = nodeIn(read)
  if (typeof node !== 'string') return node
  const isServing = spec.signerName === signers.serving
  const refusal = wrongUsages(spec.usages ?? [], isServing) ?? wrongNames(read, isServing)
  if (refusal) return refusal
  const asker = requesterOf(spec)
  const stranger = wrongRequester(asker, node, isServing, spec.username)
  if (stranger) return stranger
  const kind = isServing ? 'serving' : asker.is === 'node' ? 'renewal' : 'join'
  return { kind, node, names: namesIn(read) }
}

const label = 'CERTIFICATE REQUEST'

/**
 * The request in the one form that kubelets send: whoever signs it reads it with a reader of their own, and must not find
 * another request in the same text.
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
    const found = organizations.slice(0, mostNamed).map(quoted).join(', ') || 'none'
    return refused('Subject', `its organization has to be ${nodeGroup} alone, and is ${found}`)
  }
  const odd = subject.find(({ type }) => !expectedParts.has(type))
  if (odd)
    return refused('Subject', `its subject has a part ${plain(odd.type)} that nodes have not`)
  if (subject.length !== expectedParts.size) {
    return refused('Subject', 'its subject has more than one common name')
  }
  return node
}

const expectedParts: ReadonlySet<string> = new Set([
  identifiers.commonName,
  identifiers.organization,
])

/** Keys that cannot encipher, such as those of elliptic curves, do not ask to. */
const optionalUsage = 'key encipherment'

function wrongUsages(usages: readonly string[], isServing: boolean): Refusal | undefined {
  const wanted = ['digital signature', isServing ? 'server auth' : 'client auth']
  const asked = new Set(usages.filter((usage) => usage !== optionalUsage))
  if (asked.size === wanted.length && wanted.every((usage) => asked.has(usage))) return undefined
  const found = usages.slice(0, mostNamed).map(quoted).join(', ') || 'none'
  const allowed = `${wanted.join(' and ')}, perhaps ${optionalUsage}`
  return refused('Usages', `its usages have to be ${allowed}, and are ${found}`)
}

function wrongNames(read: CertificateRequest, isServing: boolean): Refusal | undefined {
  const names = [...read.dnsNames, ...read.ipAddresses]
  const rule = 'AlternativeNames'
  if (!isServing) {
    const [first] = names
    if (first === undefined) return undefined
    return refused(rule, `a client has no alternative names, and it asks for ${quoted(first)}`)
  }
  if (names.length === 0) return refused(rule, 'it asks for no name under which to serve')
  const nobodys = names.find(isNobodys)
  if (nobodys === undefined) return undefined
  return refused(rule, `${quoted(nobodys)} is never the name of one node`)
}

const namesIn = ({ dnsNames, ipAddresses }: CertificateRequest): string[] => [
  ...dnsNames.map(canonicalName),
  ...ipAddresses.map((address) => canonicalAddress(address)!),
]

function wrongRequester(
  asker: Requester,
  node: string,
  isServing: boolean,
  username = '',
): Refusal | undefined {
  if (asker.is === 'node' && asker.node === node) return undefined
  if (asker.is === 'bootstrapper' && !isServing) return undefined
  const who = isServing ? 'node itself' : 'node itself or a bootstrapper'
  return refused('Requester', `only the ${who} may ask for ${node}, and ${quoted(username)} does`)
}

const mostNamed = 5

const refused = (rule: Rule, why: string): Refusal => ({ rule, why, isFinal: true })
