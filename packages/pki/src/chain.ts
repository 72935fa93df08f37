import type { Certificate, CertificateUsage } from './certificate.ts'
import { isValidAt } from './certificate.ts'

export interface ChainOptions {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The required usage of the certificate. */
  readonly usage?: 'server' | 'client'
  /** Intermediate certificates, which are not trusted by themselves. */
  readonly intermediates?: readonly Certificate[]
}

export type ChainResult =
  /** From the certificate to the trusted one. */
  { readonly chain: readonly Certificate[] } | { readonly problem: string }

/** Builds the chain from a certificate to a trusted one, directly or through intermediates. */
export function verifyChain(
  certificate: Certificate,
  trusted: Iterable<Certificate>,
  { at, usage, intermediates = [] }: ChainOptions,
): ChainResult {
  const name = nameOf(certificate)
  if (at < certificate.notBefore) return { problem: `${name} is not valid yet` }
  if (at > certificate.notAfter) return { problem: `${name} has expired` }
  if (usage && !isGoodFor(certificate, usage))
    return { problem: `${name} is not valid for a ${usage}` }
  const roots = [...trusted]
  const chain = extendChain([certificate], roots, intermediates, at)
  if (chain) return { chain }
  const issued = roots.some((root) => hasIssued(root, certificate))
  const why = issued ? 'its issuer is not valid at this time' : 'no trusted certificate issued it'
  return { problem: `${name} is not trusted: ${why}` }
}

/** Limits the search. */
const maxChainLength = 6

function extendChain(
  chain: readonly Certificate[],
  roots: readonly Certificate[],
  intermediates: readonly Certificate[],
  at: number,
): readonly Certificate[] | undefined {
  const last = chain.at(-1)!
  if (roots.some(({ fingerprint }) => fingerprint === last.fingerprint)) return chain
  const above = (each: Certificate): boolean => isValidAt(each, at) && hasIssued(each, last)
  const root = roots.find(above)
  if (root) return [...chain, root]
  if (chain.length >= maxChainLength) return undefined
  for (const next of intermediates.filter((each) => !chain.includes(each) && above(each))) {
    const found = extendChain([...chain, next], roots, intermediates, at)
    if (found) return found
  }
  return undefined
}

function hasIssued(issuer: Certificate, certificate: Certificate): boolean {
  return (
    issuer.isCa &&
    certificate.x509.checkIssued(issuer.x509) &&
    certificate.x509.verify(issuer.x509.publicKey)
  )
}

const isGoodFor = ({ usages }: Certificate, usage: CertificateUsage): boolean =>
  usages === undefined || usages.includes(usage) || usages.includes('any')

const nameOf = ({ commonName, fingerprint }: Certificate): string =>
  commonName === undefined
    ? `certificate ${fingerprint.slice(0, 16)}`
    : `certificate "${commonName}"`
