import { X509Certificate } from 'node:crypto'
import { sha256Hex } from '@machinist/core/digest'
import { InvalidInput } from '@machinist/core/errors'
import { toPem } from '@machinist/core/pem'

export interface Certificate {
  /** SHA-256 of the certificate, lower-case hex: what makes it this one and no other. */
  readonly fingerprint: string
  /** One `KEY=value` per line, as OpenSSL prints names. */
  readonly subject: string
  readonly issuer: string
  /** The last CN; Kubernetes reads it as the user. */
  readonly commonName: string | undefined
  /** All O; Kubernetes reads them as groups. */
  readonly organizations: readonly string[]
  readonly serial: string
  /** Milliseconds since the epoch, like a clock's. */
  readonly notBefore: number
  readonly notAfter: number
  readonly dnsNames: readonly string[]
  readonly ipAddresses: readonly string[]
  readonly isCa: boolean
  /** What it may be used for; undefined if it does not say, which means anything. */
  readonly usages: readonly Usage[] | undefined
  readonly pem: string
  /** For what only node itself can do: signatures, public keys. */
  readonly x509: X509Certificate
}

export type Usage = 'server' | 'client' | 'any' | 'other'

/** Those that somebody still has: a CA stands in many bundles, and to find it costs a tenth of reading it. */
const known = new Map<string, WeakRef<Certificate>>()
const gone = new FinalizationRegistry<string>((key) => {
  if (known.get(key)?.deref() === undefined) known.delete(key)
})

/** Reads one certificate, DER or PEM. */
export function readCertificate(source: Uint8Array | string): Certificate {
  const key = sha256Hex(source)
  const before = known.get(key)?.deref()
  if (before) return before
  const certificate = readAnew(source)
  known.set(key, new WeakRef(certificate))
  gone.register(certificate, key)
  return certificate
}

function readAnew(source: Uint8Array | string): Certificate {
  let x509: X509Certificate
  try {
    x509 = new X509Certificate(source)
  } catch (error) {
    throw new InvalidInput('this is not a certificate', { cause: error })
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
    ipAddresses: names.filter(([type]) => type === 'IP Address').map(([, ip]) => shortest(ip)),
    isCa: x509.ca,
    usages: usagesOf(x509.keyUsage),
    pem: toPem('CERTIFICATE', x509.raw),
    x509,
  }
}

export function isValidAt({ notBefore, notAfter }: Certificate, time: number): boolean {
  return notBefore <= time && time <= notAfter
}

/** `CN=root-ca,OU=openshift`: a subject or issuer on one line, the most particular first, as RFC 4514 has it. */
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
  // Hardly any name needs escapes or several values in one part; the others can be read as they stand, at half the price.
  return /\\| \+ /.test(subject) ? partsInFull(x509) : plainParts(subject)
}

function plainParts(subject: string): SubjectParts {
  const lines = subject.split('\n')
  const all = (key: string): string[] =>
    lines.flatMap((line) => (line.startsWith(key) ? [line.slice(key.length)] : []))
  return { commonNames: all('CN='), organizations: all('O=') }
}

function partsInFull(x509: X509Certificate): SubjectParts {
  // Node's toLegacyObject breaks node:tls for the whole process if it comes first.
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

const usageNames: Readonly<Record<string, Usage>> = {
  '1.3.6.1.5.5.7.3.1': 'server',
  '1.3.6.1.5.5.7.3.2': 'client',
  '2.5.29.37.0': 'any',
}

const usagesOf = (ids: readonly string[] | undefined): readonly Usage[] | undefined =>
  ids?.map((id) => usageNames[id] ?? 'other')

/** `FD00:0:0:0:0:0:0:1` is how OpenSSL writes what everybody else calls `fd00::1`. */
function shortest(address: string): string {
  if (!address.includes(':') || !URL.canParse(`http://[${address}]/`)) return address
  return new URL(`http://[${address}]/`).hostname.slice(1, -1)
}

/** `DNS:a, IP Address:1.2.3.4`; a value with a comma or quote in it is written as a JSON text. */
function alternativeNames(text: string): (readonly [type: string, value: string])[] {
  return [...text.matchAll(/(?:^|, )([A-Za-z ]+):("(?:[^"\\]|\\.)*"|[^,]*)(?=, |$)/g)].map(
    (match) => {
      const value = match[2]!
      return [match[1]!, value.startsWith('"') ? (JSON.parse(value) as string) : value] as const
    },
  )
}
