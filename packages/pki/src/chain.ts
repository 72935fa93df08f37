import type { Certificate, Usage } from './certificate.ts'
import { isValidAt } from './certificate.ts'

export interface ChainQuestion {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** What the certificate must be good for. */
  readonly usage?: 'server' | 'client'
  /** Certificates that may lie between, not trusted by themselves. */
  readonly between?: readonly Certificate[]
}

export type ChainVerdict =
  /** From the certificate up to the trusted one. */
  { readonly chain: readonly Certificate[] } | { readonly problem: string }

/** Whether one of the trusted certificates vouches for this one, directly or through others. */
export function verifyChain(
  certificate: Certificate,
  trusted: Iterable<Certificate>,
  { at, usage, between = [] }: ChainQuestion,
): ChainVerdict {
  const name = nameOf(certificate)
  if (at < certificate.notBefore) return { problem: `${name} is not valid yet` }
  if (at > certificate.notAfter) return { problem: `${name} has expired` }
  if (usage && !isGoodFor(certificate, usage)) return { problem: `${name} is not for a ${usage}` }
  const roots = [...trusted]
  const chain = climb([certificate], roots, between, at)
  if (chain) return { chain }
  const issued = roots.some((root) => vouches(root, certificate))
  const why = issued ? 'whoever issued it is not valid at this time' : 'no trusted one issued it'
  return { problem: `${name} is not trusted: ${why}` }
}

/** Longer chains are nobody's intention. */
const longestChain = 6

function climb(
  chain: readonly Certificate[],
  roots: readonly Certificate[],
  between: readonly Certificate[],
  at: number,
): readonly Certificate[] | undefined {
  const last = chain.at(-1)!
  if (roots.some(({ fingerprint }) => fingerprint === last.fingerprint)) return chain
  const above = (each: Certificate): boolean => isValidAt(each, at) && vouches(each, last)
  const root = roots.find(above)
  if (root) return [...chain, root]
  if (chain.length >= longestChain) return undefined
  for (const next of between.filter((each) => !chain.includes(each) && above(each))) {
    const found = climb([...chain, next], roots, between, at)
    if (found) return found
  }
  return undefined
}

function vouches(issuer: Certificate, certificate: Certificate): boolean {
  return (
    issuer.isCa &&
    certificate.x509.checkIssued(issuer.x509) &&
    certificate.x509.verify(issuer.x509.publicKey)
  )
}

const isGoodFor = ({ usages }: Certificate, usage: Usage): boolean =>
  usages === undefined || usages.includes(usage) || usages.includes('any')

const nameOf = ({ commonName, fingerprint }: Certificate): string =>
  commonName === undefined
    ? `certificate ${fingerprint.slice(0, 16)}`
    : `certificate "${commonName}"`
