import { messageOf } from '@machinist/core/errors'
import type { Secret } from '@machinist/kube/kinds/core'
import { readBundle } from '@machinist/pki/bundle'
import type { Certificate } from '@machinist/pki/certificate'
import { nameText } from '@machinist/pki/certificate'
import type { KeyPair } from '@machinist/pki/issue'
import { readKey } from '@machinist/pki/keys'
import type { CertificateDamage } from '@machinist/pki/renewal'
import { signerKeys } from '../../../api/names.ts'
import type { Authority } from './facts.ts'

/** A certificate with its key, from a Secret. */
export interface ReadPair {
  readonly certificate: Certificate
  /** The certificates that follow it. */
  readonly chain: readonly Certificate[]
  readonly pair: KeyPair
}

const { certificate, key, previousCertificate, previousKey } = signerKeys

export const readCurrentPair = (secret: Readonly<Secret>): ReadPair | CertificateDamage =>
  readPair(secret, certificate, key)

export const readPreviousPair = (secret: Readonly<Secret>): ReadPair | CertificateDamage =>
  readPair(secret, previousCertificate, previousKey)

/** The CA of a pair; damaged if the certificate is not a CA. */
export function authorityIn(read: ReadPair | CertificateDamage): Authority | CertificateDamage {
  if ('problem' in read) return read
  if (!read.certificate.isCa) return { problem: 'tls.crt is not the certificate of a CA' }
  return authorityOf(read.certificate)
}

export function authorityOf(read: Certificate): Authority {
  const { fingerprint, commonName = '', subject, notBefore, notAfter } = read
  return { fingerprint, commonName, subject: nameText(subject), notBefore, notAfter }
}

/** Messages name the key of the Secret, and never quote its value. */
function readPair(
  secret: Readonly<Secret>,
  at: string,
  keyAt: string,
): ReadPair | CertificateDamage {
  const text = textIn(secret, at)
  if (text === '') return { problem: `${at} is missing` }
  const { bundle, problems } = readBundle(text)
  const [first, ...chain] = bundle.values()
  if (problems[0]) return { problem: `${at} cannot be read: ${problems[0].message}` }
  if (!first) return { problem: `${at} is not a certificate` }
  const keyText = textIn(secret, keyAt)
  if (keyText === '') return { problem: `${keyAt} is missing` }
  try {
    if (!first.x509.checkPrivateKey(readKey(keyText))) {
      return { problem: `${keyAt} is not the key of ${at}` }
    }
  } catch (error) {
    return { problem: `${keyAt} cannot be used: ${messageOf(error)}` }
  }
  return { certificate: first, chain, pair: { certificate: first.pem, key: keyText } }
}

function textIn({ data }: Readonly<Secret>, at: string): string {
  const value: unknown = data && Object.hasOwn(data, at) ? data[at] : undefined
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString() : ''
}
