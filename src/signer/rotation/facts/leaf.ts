import type { Certificate } from '@machinist/pki/certificate'
import { readHostnames } from '../../../fleet/rotation/hostnames.ts'
import type { LeafTarget } from '../../../fleet/rotation/rotation-spec.ts'
import type { LeafFacts } from './facts.ts'
import { once } from './once.ts'
import { authorityOf } from './read-secret.ts'

/** The facts of a leaf certificate; `signers` are the CAs that may have signed it. */
export function leafFacts(
  leaf: Certificate,
  target: LeafTarget,
  signers: readonly Certificate[],
): LeafFacts {
  const isSignedBy = once(signatureCheck, leaf)
  const signer = signers.find((each) => once(isSignedBy, each))
  const differs = differenceOf(leaf, target)
  const { serial, notBefore, notAfter } = leaf
  return {
    serial,
    notBefore,
    notAfter,
    ...(signer && { signedBy: authorityOf(signer) }),
    ...(differs !== undefined && { differs }),
  }
}

const signatureCheck =
  ({ x509: leaf }: Certificate) =>
  ({ x509: ca }: Certificate): boolean =>
    leaf.checkIssued(ca) && leaf.verify(ca.publicKey)

/** How the certificate differs from its target. The order of values does not matter. */
function differenceOf(leaf: Certificate, target: LeafTarget): string | undefined {
  const { commonName, organizations, usages, dnsNames, ipAddresses } = leaf
  if (commonName !== target.commonName) return `the common name is not ${target.commonName}`
  if (!isSameSet(organizations, target.organizations)) {
    return `the organizations are not ${target.organizations.join(', ') || 'none'}`
  }
  if (!isSameSet(usages ?? [], [target.usage])) return `it is not for a ${target.usage}`
  const expected = target.usage === 'server' ? target.hostnames.all : []
  return isSameSet(namesIn([...dnsNames, ...ipAddresses]), expected)
    ? undefined
    : `the hostnames are not ${expected.join(', ') || 'none'}`
}

function namesIn(texts: readonly string[]): readonly string[] {
  try {
    return readHostnames(texts, '').all
  } catch {
    return texts
  }
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  const [left, right] = [new Set(a), new Set(b)]
  return left.size === right.size && left.isSubsetOf(right)
}
