import { DerError } from '@machinist/core/der'
import { readPem } from '@machinist/core/pem'
import { BadRequest, identifiers, readPkcs10 } from '@machinist/core/pkcs10'

/** What a PKCS#10 request asks for, as far as the server cares. */
export interface SigningRequest {
  /** The O of its subject: the groups that a client would be in. */
  readonly organizations: readonly string[]
  /** The CN of its subject: the user that a client would be. */
  readonly commonName?: string
}

/** The request in a PEM text, proven by its own key; otherwise what is wrong with it, in kube-apiserver's words. */
export function readSigningRequest(pem: string): SigningRequest | { readonly problem: string } {
  const [block] = readPem(pem).blocks
  if (block?.label !== 'CERTIFICATE REQUEST') {
    return { problem: 'PEM block type must be CERTIFICATE REQUEST' }
  }
  try {
    const { subject } = readPkcs10(block.der)
    const organizations = subject.filter(({ type }) => type === identifiers.organization)
    const commonName = subject.find(({ type }) => type === identifiers.commonName)?.value
    return {
      organizations: organizations.map(({ value }) => value),
      ...(commonName !== undefined && { commonName }),
    }
  } catch (error) {
    if (error instanceof DerError || error instanceof BadRequest) return { problem: error.message }
    throw error
  }
}
