import { X509Certificate } from 'node:crypto'
import { readPem } from '@machinist/core/pem'
import { DerError, readElements } from '@machinist/core/der'

/** What is wrong with the certificates that somebody issued, in kube-apiserver's words. */
export function certificateProblem(pem: string): string | undefined {
  const { blocks } = readPem(pem)
  for (const { label, der } of blocks) {
    if (label !== 'CERTIFICATE') {
      return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(label)}`
    }
    if (!areCertificates(der)) return 'x509: malformed certificate'
  }
  if (blocks.length === 0) return 'must contain at least one CERTIFICATE PEM block'
  return withHeader.test(pem) ? 'no PEM block headers are permitted' : undefined
}

const withHeader = /^-----BEGIN CERTIFICATE-----\s*\n[^\n]*:/m

/** One block may hold several certificates, one after the other. */
function areCertificates(der: Uint8Array): boolean {
  try {
    return readElements(der).every(({ whole }) => new X509Certificate(whole).raw.length > 0)
  } catch (error) {
    if (error instanceof DerError || isOpenSslError(error)) return false
    throw error
  }
}

const isOpenSslError = (error: unknown): boolean =>
  typeof (error as NodeJS.ErrnoException).code === 'string'
