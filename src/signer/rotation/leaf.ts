import type { Certificate } from '@machinist/pki/certificate'
import type { LeafFacts } from './facts.ts'
import { readHostnames } from '../../fleet/rotation/hostnames.ts'
import { once } from './once.ts'
import { authorityOf } from './read-secret.ts'
import type { Target } from '../../fleet/rotation/rotation-spec.ts'

/** What is to be known of a certificate in use; `signers` are those who may have signed it. */
export function leafFacts(
  leaf: Certificate,
  target: Target,
  signers: readonly Certificate[],
): LeafFacts {
  const isSignedBy = once(asked, leaf)
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

const asked =
  ({ x509: leaf }: Certificate) =>
  ({ x509: ca }: Certificate): boolean =>
    leaf.checkIssued(ca) && leaf.verify(ca.publicKey)

/** What it says otherwise than is wanted. The order in which it says it does not matter. */
function differenceOf(leaf: Certificate, target: Target): string | undefined {
  const { commonName, organizations, usages, dnsNames, ipAddresses } = leaf
  if (commonName !== target.commonName) return `the common name is not ${target.commonName}`
  if (!isSameSet(organizations, target.organizations)) {
    return `the organizations are not ${target.organizations.join(', ') || 'none'}`
  }
  if (!isSameSet(usages ?? [], [target.usage])) return `it is not for a ${target.usage}`
  const wanted = target.usage === 'server' ? target.hostnames.all : []
  return isSameSet(namesIn([...dnsNames, ...ipAddresses]), wanted)
    ? undefined
    : `the hostnames are not ${wanted.join(', ') || 'none'}`
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
