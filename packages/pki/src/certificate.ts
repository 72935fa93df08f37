import { X509Certificate } from 'node:crypto'
import { sha256Hex } from '@machinist/core/encoding/digest'
import { InvalidInput } from '@machinist/core/errors'
import { toPem } from '@machinist/core/encoding/pem'

export interface Certificate {
  /** SHA-256 of the certificate in lower-case hex, which identifies it. */
  readonly fingerprint: string
  /** One `KEY=value` per line, as OpenSSL formats names. */
  readonly subject: string
  readonly issuer: string
  /** The last CN. Kubernetes uses it as the user name. */
  readonly commonName: string | undefined
  /** All O. Kubernetes uses them as groups. */
  readonly organizations: readonly string[]
  readonly serial: string
  /** Milliseconds since the epoch. */
  readonly notBefore: number
  readonly notAfter: number
  readonly dnsNames: readonly string[]
  readonly ipAddresses: readonly string[]
  readonly isCa: boolean
  /** Extended key usages; undefined if the extension is absent, which allows any usage. */
  readonly usages: readonly CertificateUsage[] | undefined
  readonly pem: string
  /** For signatures and public keys. */
  readonly x509: X509Certificate
}

export type CertificateUsage = 'server' | 'client' | 'any' | 'other'

/** Cache of certificates in use. A CA is in many bundles, and a lookup costs a tenth of parsing it. */
const cache = new Map<string, WeakRef<Certificate>>()
const collected = new FinalizationRegistry<string>((key) => {
  if (cache.get(key)?.deref() === undefined) cache.delete(key)
})

/** Parses one certificate in DER or PEM. */
export function readCertificate(source: Uint8Array | string): Certificate {
  const key = sha256Hex(source)
  const cached = cache.get(key)?.deref()
  if (cached) return cached
  const certificate = parseCertificate(source)
  cache.set(key, new WeakRef(certificate))
  collected.register(certificate, key)
  return certificate
}

function parseCertificate(source: Uint8Array | string): Certificate {
  let x509: X509Certificate
  try {
    x509 = new X509Certificate(source)
  } catch (error) {
    throw new InvalidInput('not a certificate', { cause: error })
  }
  const subject = x509.subject ?? ''
  const parts = subjectParts(x509, subject)
  const names = alternativeNames(x509.subjectAltName ?? '')
  return {
    fingerprint: x509.fingerprint256.replaceAll(':', '').toLowerCase(),
    subject,
    issuer: x509.issuer ?? '',
    commonName: parts.commonNames.at(-1),
    organizations: parts.organizations,
    serial: x509.serialNumber.toLowerCase(),
    notBefore: x509.validFromDate.getTime(),
    notAfter: x509.validToDate.getTime(),
    dnsNames: names.filter(([type]) => type === 'DNS').map(([, value]) => value),
    ipAddresses: names
      .filter(([type]) => type === 'IP Address')
      .map(([, ip]) => compressedAddress(ip)),
    isCa: x509.ca,
    usages: usagesOf(x509.keyUsage),
    pem: toPem('CERTIFICATE', x509.raw),
    x509,
  }
}

export function isValidAt({ notBefore, notAfter }: Certificate, time: number): boolean {
  return notBefore <= time && time <= notAfter
}

/** A subject or issuer on one line, the most specific part first, as in RFC 4514: `CN=root-ca,OU=openshift`. */
export function nameText(name: string): string {
  return name
    .split('\n')
    .filter((part) => part !== '')
    .reverse()
    .join(',')
}

interface SubjectParts {
  readonly commonNames: readonly string[]
  readonly organizations: readonly string[]
}

function subjectParts(x509: X509Certificate, subject: string): SubjectParts {
  // Few names have escapes or several values in one part. The others are parsed directly, at half the cost.
  return /\\| \+ /.test(subject) ? partsInFull(x509) : plainParts(subject)
}

function plainParts(subject: string): SubjectParts {
  const lines = subject.split('\n')
  const all = (key: string): string[] =>
    lines.flatMap((line) => (line.startsWith(key) ? [line.slice(key.length)] : []))
  return { commonNames: all('CN='), organizations: all('O=') }
}

function partsInFull(x509: X509Certificate): SubjectParts {
  // toLegacyObject breaks node:tls for the whole process unless node:tls is loaded before.
  process.getBuiltinModule('node:tls')
  const subject = x509.toLegacyObject().subject as unknown as NameFields | undefined
  return { commonNames: values(subject?.CN), organizations: values(subject?.O) }
}

interface NameFields {
  readonly CN?: string | readonly string[]
  readonly O?: string | readonly string[]
}

const values = (field: string | readonly string[] = []): readonly string[] =>
  typeof field === 'string' ? [field] : field

const usageNames: Readonly<Record<string, CertificateUsage>> = {
  '1.3.6.1.5.5.7.3.1': 'server',
  '1.3.6.1.5.5.7.3.2': 'client',
  '2.5.29.37.0': 'any',
}

const usagesOf = (ids: readonly string[] | undefined): readonly CertificateUsage[] | undefined =>
  ids?.map((id) => usageNames[id] ?? 'other')

/** OpenSSL formats `fd00::1` as `FD00:0:0:0:0:0:0:1`. */
function compressedAddress(address: string): string {
  if (!address.includes(':') || !URL.canParse(`http://[${address}]/`)) return address
  return new URL(`http://[${address}]/`).hostname.slice(1, -1)
}

/** Parses `DNS:a, IP Address:1.2.3.4`. A value with a comma or a quote is a JSON string. */
function alternativeNames(text: string): (readonly [type: string, value: string])[] {
  return [...text.matchAll(/(?:^|, )([A-Za-z ]+):("(?:[^"\\]|\\.)*"|[^,]*)(?=, |$)/g)].map(
    (match) => {
      const value = match[2]!
      return [match[1]!, value.startsWith('"') ? (JSON.parse(value) as string) : value] as const
    },
  )
}
