import type { KeyObject } from 'node:crypto'
import { createPublicKey, randomBytes, sign as signBytes } from 'node:crypto'
import type { Clock } from '@machinist/core/clock'
import { InvalidInput } from '@machinist/core/errors'
import type { Certificate } from './certificate.ts'
import { readCertificate } from './certificate.ts'
import type { Extension, IssuerParts } from './certificate-parts.ts'
import * as parts from './certificate-parts.ts'
import { readRequest } from './certificate-request.ts'
import { verifyChain } from './chain.ts'
import * as der from './der-writer.ts'
import { addressBytes } from './ip-address.ts'
import type { KeyKind } from './keys.ts'
import { createKey, keyPem, readKey, signingAlgorithm } from './keys.ts'

/** A certificate and its private key (PKCS#8), both in PEM. */
export interface KeyPair {
  readonly certificate: string
  readonly key: string
}

export interface Validity {
  /** Milliseconds since the epoch. Certificates have a resolution of one second. */
  readonly from: number
  readonly until: number
}

export interface AuthorityTemplate {
  readonly name: string
  readonly validity: Validity
  readonly keyKind?: KeyKind
}

export interface LeafTemplate {
  readonly commonName: string
  /** Kubernetes uses them as the groups of a client. */
  readonly organizations?: readonly string[]
  readonly dnsNames?: readonly string[]
  readonly ipAddresses?: readonly string[]
  readonly usages: readonly ('server' | 'client')[]
  readonly validity: Validity
  readonly keyKind?: KeyKind
}

/** Valid for this long, from five minutes ago because of clock skew. */
export function validFor(clock: Clock, ms: number): Validity {
  return { from: clock.now() - 5 * 60_000, until: clock.now() + ms }
}

/** Source of keys and serial numbers. Simulations supply a deterministic one. */
export interface IssuanceRandom {
  key(kind: KeyKind | undefined): Promise<KeyObject>
  serial(): Uint8Array
}

const systemIssuanceRandom: IssuanceRandom = { key: createKey, serial: newSerial }

/** A new self-signed CA that signs leaf certificates, but no other CA. */
export async function createAuthority(
  template: AuthorityTemplate,
  random: IssuanceRandom = systemIssuanceRandom,
): Promise<KeyPair> {
  const key = await random.key(template.keyKind)
  const publicKey = createPublicKey(key)
  const name = parts.nameDer(template.name, [])
  const { signCertificates, signLists } = parts.keyUses
  const certificate = signed({
    serial: random.serial(),
    subject: name,
    publicKey,
    issuer: { name, keyIdentifier: parts.keyIdentifier(publicKey) },
    issuerKey: key,
    validity: template.validity,
    extensions: [
      parts.basicConstraints(true),
      parts.keyUsage(...keyUses(publicKey), signCertificates, signLists),
    ],
  })
  verifyNew(certificate, certificate)
  return { certificate: certificate.pem, key: keyPem(key) }
}

/** A new key with a certificate that the CA signed. */
export async function issueCertificate(
  authority: KeyPair,
  template: LeafTemplate,
  random: IssuanceRandom = systemIssuanceRandom,
): Promise<KeyPair> {
  const key = await random.key(template.keyKind)
  const certificate = certify(authority, createPublicKey(key), template, random)
  return { certificate, key: keyPem(key) }
}

/** The terms that the CA sets for a request. Names and key come from the request. */
export type RequestTerms = Pick<LeafTemplate, 'usages' | 'validity'>

/** Signs a PKCS#10 request in PEM. The caller has already authorized its names. */
export function signRequest(authority: KeyPair, request: string, terms: RequestTerms): string {
  const { publicKey, commonName = '', ...names } = readRequest(request)
  return certify(authority, publicKey, { ...names, commonName, ...terms }, systemIssuanceRandom)
}

function certify(
  authority: KeyPair,
  publicKey: KeyObject,
  template: LeafTemplate,
  random: IssuanceRandom,
): string {
  const issuer = readCertificate(authority.certificate)
  const issuerKey = readKey(authority.key)
  if (!issuer.x509.checkPrivateKey(issuerKey)) {
    throw new InvalidInput(`the private key does not belong to the CA "${issuer.commonName}"`)
  }
  const { from, until } = template.validity
  const certificate = signed({
    serial: random.serial(),
    subject: parts.nameDer(template.commonName, template.organizations ?? []),
    publicKey,
    issuer: parts.issuerParts(issuer.x509),
    issuerKey,
    // The validity must lie within that of the issuer.
    validity: { from: Math.max(from, issuer.notBefore), until: Math.min(until, issuer.notAfter) },
    extensions: leafExtensions(template, publicKey),
  })
  verifyNew(certificate, issuer)
  return certificate.pem
}

interface Signing {
  readonly serial: Uint8Array
  readonly subject: Uint8Array
  readonly publicKey: KeyObject
  readonly issuer: IssuerParts
  readonly issuerKey: KeyObject
  readonly validity: Validity
  readonly extensions: readonly Extension[]
}

function signed(template: Signing): Certificate {
  const { validity, issuer, issuerKey, publicKey } = template
  if (validity.until <= validity.from) {
    throw new InvalidInput('the validity ends before it starts')
  }
  const { hash, identifier, parameters } = signingAlgorithm(issuerKey)
  const algorithm = der.sequence(
    der.identifier(identifier),
    ...(parameters === 'null' ? [der.nullElement()] : []),
  )
  const extensions = [
    ...template.extensions,
    parts.subjectKey(publicKey),
    parts.authorityKey(issuer.keyIdentifier),
  ]
  const body = der.sequence(
    der.contextSpecific(0, der.integer(Buffer.from([version3]))),
    der.integer(template.serial),
    algorithm,
    issuer.name,
    der.sequence(der.time(wholeSecond(validity.from)), der.time(wholeSecond(validity.until))),
    template.subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der.contextSpecific(3, der.sequence(...extensions.map(parts.extensionDer))),
  )
  const signature = signBytes(hash, body, issuerKey)
  return readCertificate(der.sequence(body, algorithm, der.bits(signature)))
}

/** X.509 v3; versions start at 0. */
const version3 = 2

function leafExtensions(template: LeafTemplate, publicKey: KeyObject): Extension[] {
  const { dnsNames = [], ipAddresses = [] } = template
  const invalid = dnsNames.find((name) => !dnsName.test(name))
  if (invalid !== undefined) throw new InvalidInput(`"${invalid}" is not a DNS name`)
  const named = dnsNames.length + ipAddresses.length > 0
  return [
    parts.basicConstraints(false),
    parts.keyUsage(...keyUses(publicKey)),
    parts.extendedUsage(template.usages),
    ...(named ? [parts.alternativeNames(dnsNames, ipAddresses.map(addressBytes))] : []),
  ]
}

/** Only RSA keys support key encipherment. */
function keyUses({ asymmetricKeyType: type }: KeyObject): readonly number[] {
  const { digitalSignature, keyEncipherment } = parts.keyUses
  return type === 'rsa' ? [digitalSignature, keyEncipherment] : [digitalSignature]
}

const dnsName = /^(\*\.)?[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63})*\.?$/

/** Verifies a new certificate with OpenSSL, which shares no code with the encoder. */
function verifyNew(certificate: Certificate, issuer: Certificate): void {
  const result = verifyChain(certificate, [issuer], { at: certificate.notBefore })
  const isSigned = certificate.x509.verify(issuer.x509.publicKey)
  if ('problem' in result || !isSigned) {
    throw new Error(
      `the new certificate is invalid: ${'problem' in result ? result.problem : 'signature'}`,
    )
  }
}

/** 126 random bits in 16 bytes: positive, and of constant length. */
function newSerial(): Uint8Array {
  const bytes = randomBytes(16)
  bytes[0] = (bytes[0]! & 0x3f) | 0x40
  return bytes
}

const wholeSecond = (ms: number): number => Math.floor(ms / 1000) * 1000
