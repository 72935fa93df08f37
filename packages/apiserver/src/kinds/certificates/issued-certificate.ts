import { X509Certificate } from 'node:crypto'
import { readPem } from '@machinist/core/encoding/pem'
import { DerError, readElements } from '@machinist/core/encoding/der'

/** Validates issued certificates; returns kube-apiserver's message. */
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

/** A PEM block can contain several certificates. */
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
