import { X509Certificate } from 'node:crypto'
import { readPem, toPem } from '@machinist/core/pem'

export interface KeyPair {
  readonly cert: string
  readonly key: string
}

/** Something read from a file is either good, or not: then what is wrong with it, without quoting it. */
export type Checked<T> = { readonly value: T } | { readonly problem: string }

/**
 * The certificates of a bundle that parse. One odd certificate among good ones is left out, as other clients do; a
 * block without an end is a file that is still being written.
 */
export function checkedBundle(text: string): Checked<string> {
  const { blocks, problems } = readPem(text)
  if (problems.some(({ label, cutOff }) => cutOff && isCertificateLabel(label)))
    return { problem: 'a certificate in it is cut off' }
  const good = blocks.filter(({ label, der }) => isCertificateLabel(label) && isCertificate(der))
  return good.length === 0
    ? { problem: 'it holds no certificate' }
    : { value: good.map(({ label, der }) => toPem(label, der)).join('') }
}

/** A certificate and the key that belongs to it. */
export function checkedPair(pair: KeyPair): Checked<KeyPair> {
  const { createSecureContext } = process.getBuiltinModule('node:tls')
  const certificate = checkedBundle(pair.cert)
  if ('problem' in certificate) return certificate
  const problem = 'the key is not readable, or does not belong to the certificate'
  // An empty key is no error to OpenSSL, which then simply presents no certificate.
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pair.key)) return { problem }
  try {
    createSecureContext({ cert: pair.cert, key: pair.key })
    return { value: pair }
  } catch {
    // What OpenSSL says names neither file; what people need to know is this.
    return { problem }
  }
}

/** One line of visible characters: anything else cannot be a header, or is a file that is still being written. */
export function checkedToken(text: string): Checked<string> {
  const token = text.trim()
  if (token === '') return { problem: 'it is empty' }
  return /^[\x21-\x7e]+$/.test(token) ? { value: token } : { problem: 'it does not hold a token' }
}

const isCertificateLabel = (label: string): boolean =>
  label === 'CERTIFICATE' || label === 'TRUSTED CERTIFICATE'

function isCertificate(der: Uint8Array): boolean {
  try {
    return new X509Certificate(der).raw.length > 0
  } catch {
    return false
  }
}
