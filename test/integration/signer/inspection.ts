import { openssl } from '@machinist/testing/certificates/openssl'
import type { Written } from './issued.ts'

/** The expected properties of a certificate. */
export interface Expected {
  /** The bundle of the CA. */
  readonly bundle: string
  readonly purpose: 'authority' | 'client' | 'server'
  readonly subject: RegExp
  /** Lifetime in hours, unless its CA expires before. */
  readonly hours: number
  /** As openssl prints it. */
  readonly key: 'RSA 2048' | 'RSA 4096' | 'P-256'
  /** As openssl prints it. */
  readonly names?: string
}

const keys = {
  'RSA 2048': { printed: 'Public-Key: (2048 bit)', kind: 'rsaEncryption', encrypts: true },
  'RSA 4096': { printed: 'Public-Key: (4096 bit)', kind: 'rsaEncryption', encrypts: true },
  'P-256': { printed: 'NIST CURVE: P-256', kind: 'id-ecPublicKey', encrypts: false },
} as const

export interface Inspection {
  /** Number of different certificates, by object. */
  readonly counts: Readonly<Record<string, number>>
  /** The problems; empty if all certificates are as expected. */
  readonly faults: readonly string[]
}

/**
 * Checks every written certificate with openssl against the bundle at that time, which is the last one written before. Given
 * certificates are not checked.
 */
export function inspect(
  written: readonly Written[],
  expected: Readonly<Record<string, Expected>>,
  given = '',
): Inspection {
  const faults: string[] = []
  const counts: Record<string, number> = {}
  const bundles = new Map<string, string>()
  const serials = new Map<string, string>()
  for (const each of written) {
    const { kind, place, data } = each
    if (kind === 'ConfigMap') {
      bundles.set(place, data['ca-bundle.crt'] ?? '')
      continue
    }
    const wanted = expected[place]
    const chain = data['tls.crt'] ?? ''
    const [pem = ''] = certificatesIn(chain)
    const report = (fault: string): void =>
      void faults.push(`${place} at ${iso(each.at)}: ${fault}`)
    if (!wanted) {
      report('it is not expected')
      continue
    }
    if (serials.has(pem) || given.includes(pem)) continue
    const text = shown(pem)
    const serial = serialIn(text)
    if ([...serials.values()].includes(serial)) report(`serial ${serial} is used twice`)
    serials.set(pem, serial)
    counts[place] = (counts[place] ?? 0) + 1
    // A CA is written before its bundle.
    const bundle =
      wanted.purpose === 'authority' ? pem : (bundles.get(wanted.bundle) ?? 'there is none')
    for (const fault of faultsIn({ each, pem, chain, text, bundle, wanted })) report(fault)
  }
  return { counts, faults }
}

interface Shown {
  readonly each: Written
  readonly pem: string
  readonly chain: string
  readonly text: string
  readonly bundle: string
  readonly wanted: Expected
}

function faultsIn({ each, pem, chain, text, bundle, wanted }: Shown): string[] {
  const { purpose, key } = wanted
  const { printed, kind, encrypts } = keys[key]
  const isAuthority = purpose === 'authority'
  const uses = [
    'Digital Signature',
    ...(encrypts ? ['Key Encipherment'] : []),
    ...(isAuthority ? ['Certificate Sign', 'CRL Sign'] : []),
  ].join(', ')
  const authentication = { client: 'Client', server: 'Server' } as const
  const rules: readonly (readonly [string, boolean])[] = [
    ['version', /Version: 3 \(0x2\)\n/.test(text)],
    // 64 random bits at least, and never negative.
    ['serial', /^(?:[0-7][0-9a-f]:)(?:[0-9a-f]{2}:){7,}[0-9a-f]{2}$/.test(serialIn(text))],
    ['subject', wanted.subject.test(/Subject: (.*)\n/.exec(text)?.[1] ?? '')],
    ['signature', /Signature Algorithm: (sha256WithRSAEncryption|ecdsa-with-SHA256)\n/.test(text)],
    ['kind of key', text.includes(`Public Key Algorithm: ${kind}\n`) && text.includes(printed)],
    [
      'constraints',
      text.includes(
        `Basic Constraints: critical\n                ${isAuthority ? 'CA:TRUE, pathlen:0' : 'CA:FALSE'}\n`,
      ),
    ],
    ['key usage', text.includes(`X509v3 Key Usage: critical\n                ${uses}\n`)],
    [
      'extended key usage',
      isAuthority
        ? !text.includes('Extended Key Usage')
        : new RegExp(
            `Extended Key Usage: \\n\\s+TLS Web ${authentication[purpose]} Authentication\\n`,
          ).test(text),
    ],
    ['names', (/Alternative Name: \n\s+(.*)\n/.exec(text)?.[1] ?? '') === (wanted.names ?? '')],
    ['trust', verdict(pem, bundle, purpose, each.at) === 'it.crt: OK\n'],
    ['key', text.includes(publicKey(each.data['tls.key'] ?? ''))],
    ['chain', isAuthority || chainIsGood(chain, bundle)],
    ...validity({ each, text, bundle, pem, wanted }),
  ]
  return rules.flatMap(([what, holds]) => (holds ? [] : [`${what} is not as expected`]))
}

/** Virtual time passes while keys are generated. */
const slackMs = 120_000

/** From a second before the write, for the configured lifetime, but never longer than its CA. */
function validity({
  each,
  text,
  bundle,
  pem,
  wanted,
}: Omit<Shown, 'chain'>): (readonly [string, boolean])[] {
  const { from, until } = timesIn(text)
  const requested = from + 1000 + wanted.hours * 3_600_000
  const signer = certificatesIn(bundle).find((ca) => isSignedBy(pem, ca))
  const end = wanted.purpose === 'authority' || !signer ? Infinity : timesIn(shown(signer)).until
  const name = /Subject: CN=.*@(\d+)\n/.exec(text)?.[1]
  const made = name === undefined ? from + 1000 : Number(name) * 1000
  return [
    ['begin', from <= each.at - 1000 && from > each.at - 1000 - slackMs],
    // The name of a CA contains its creation time, or later if the name was taken.
    ['begin by its name', made >= from + 1000 && made < from + 1000 + slackMs],
    ['end', until === Math.min(requested, end)],
    ['not-before', each.annotations['auth.openshift.io/certificate-not-before'] === iso(from)],
    ['not-after', each.annotations['auth.openshift.io/certificate-not-after'] === iso(until)],
    [
      'issuer',
      each.annotations['auth.openshift.io/certificate-issuer'] ===
        /Issuer: .*CN=([^,\n]*)/.exec(text)?.[1],
    ],
  ]
}

/** A leaf certificate and its CA, which is in the bundle, too. */
function chainIsGood(chain: string, bundle: string): boolean {
  const [leaf, ca, ...more] = certificatesIn(chain)
  return (
    leaf !== undefined &&
    ca !== undefined &&
    more.length === 0 &&
    isSignedBy(leaf, ca) &&
    certificatesIn(bundle).includes(ca)
  )
}

export const certificatesIn = (text: string): string[] =>
  text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g) ?? []

const texts = new Map<string, string>()
function shown(pem: string): string {
  const options = ['-noout', '-text', '-pubkey', '-nameopt', 'RFC2253,sep_comma_plus']
  const text = texts.get(pem) ?? openssl({ crt: pem }, 'x509', ...options, '-in', 'crt').printed
  texts.set(pem, text)
  return text
}

function verdict(pem: string, bundle: string, purpose: Expected['purpose'], at: number): string {
  const files = { 'ca.crt': bundle, 'it.crt': pem }
  const use = { authority: [], client: ['sslclient'], server: ['sslserver'] }[purpose]
  const options = use.flatMap((one) => ['-purpose', one])
  const time = ['-attime', `${Math.floor(at / 1000)}`]
  try {
    return openssl(
      files,
      'verify',
      '-x509_strict',
      ...options,
      ...time,
      '-CAfile',
      'ca.crt',
      'it.crt',
    ).printed
  } catch (error) {
    return String(error)
  }
}

const isSignedBy = (pem: string, ca: string): boolean => {
  const [own, theirs] = [shown(pem), shown(ca)]
  const keyOf = (text: string, of: string): string | undefined =>
    new RegExp(`${of} Key Identifier: \\n\\s+([0-9A-F:]+)\\n`).exec(text)?.[1]
  return keyOf(own, 'Authority') === keyOf(theirs, 'Subject')
}

/** Of a private key, in PEM. */
function publicKey(pem: string): string {
  try {
    return openssl({ it: pem }, 'pkey', '-pubout', '-in', 'it').printed
  } catch {
    return 'there is none'
  }
}

const serialIn = (text: string): string => /Serial Number:\s+([0-9a-f:]+)\n/.exec(text)?.[1] ?? ''

function timesIn(text: string): { from: number; until: number } {
  const time = (name: string): number =>
    Date.parse(new RegExp(`${name}\\s*: (.*)\\n`).exec(text)?.[1] ?? '')
  return { from: time('Not Before'), until: time('Not After') }
}

const iso = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
