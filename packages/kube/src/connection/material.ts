import { X509Certificate } from 'node:crypto'
import { readPem, toPem } from '@machinist/core/encoding/pem'

export interface KeyPair {
  readonly cert: string
  readonly key: string
}

/** A valid value, or a problem that does not quote the value. */
export type Checked<T> = { readonly value: T } | { readonly problem: string }

/**
 * Returns the valid certificates of a bundle. As in other clients, an invalid certificate among valid ones is skipped. A
 * block without an end marker means that the file is still being written.
 */
export function checkBundle(text: string): Checked<string> {
  const { blocks, problems } = readPem(text)
  if (problems.some(({ label, cutOff }) => cutOff && isCertificateLabel(label)))
    return { problem: 'it contains a truncated certificate' }
  const good = blocks.filter(({ label, der }) => isCertificateLabel(label) && isCertificate(der))
  return good.length === 0
    ? { problem: 'it contains no certificate' }
    : { value: good.map(({ label, der }) => toPem(label, der)).join('') }
}

/** Checks that a key matches its certificate. */
export function checkKeyPair(pair: KeyPair): Checked<KeyPair> {
  const { createSecureContext } = process.getBuiltinModule('node:tls')
  const certificate = checkBundle(pair.cert)
  if ('problem' in certificate) return certificate
  const problem = 'the key is invalid or does not match the certificate'
  // OpenSSL accepts an empty key without an error and then presents no certificate.
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pair.key)) return { problem }
  try {
    createSecureContext({ cert: pair.cert, key: pair.key })
    return { value: pair }
  } catch {
    // The error of OpenSSL does not name the file.
    return { problem }
  }
}

/** A token is one line of visible characters: anything else is not a valid header value, or a file that is still being written. */
export function checkToken(text: string): Checked<string> {
  const token = text.trim()
  if (token === '') return { problem: 'it is empty' }
  return /^[\x21-\x7e]+$/.test(token)
    ? { value: token }
    : { problem: 'it does not contain a token' }
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
