import { DerError } from '@machinist/core/encoding/der'
import { readPem } from '@machinist/core/encoding/pem'
import { InvalidCertificateRequest, identifiers, readPkcs10 } from '@machinist/core/encoding/pkcs10'

/** The validated part of a PKCS#10 request. */
export interface SigningRequest {
  /** O of the subject: groups of the client. */
  readonly organizations: readonly string[]
  /** CN of the subject: user name of the client. */
  readonly commonName?: string
}

/** Parses a PEM request and verifies its signature; otherwise returns kube-apiserver's message. */
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
    if (error instanceof DerError || error instanceof InvalidCertificateRequest)
      return { problem: error.message }
    throw error
  }
}
