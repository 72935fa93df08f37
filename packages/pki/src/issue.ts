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

/** A certificate and its private key (PKCS#8), both PEM. */
export interface KeyPair {
  readonly certificate: string
  readonly key: string
}

export interface Validity {
  /** Milliseconds since the epoch; certificates count in whole seconds. */
  readonly from: number
  readonly until: number
}

export interface AuthorityWish {
  readonly name: string
  readonly validity: Validity
  readonly keyKind?: KeyKind
}

export interface LeafWish {
  readonly commonName: string
  /** Kubernetes reads them as the groups of a client. */
  readonly organizations?: readonly string[]
  readonly dnsNames?: readonly string[]
  readonly ipAddresses?: readonly string[]
  readonly usages: readonly ('server' | 'client')[]
  readonly validity: Validity
  readonly keyKind?: KeyKind
}

/** From a little before now, because clocks of machines differ, for this long. */
export function validFor(clock: Clock, ms: number): Validity {
  return { from: clock.now() - 5 * 60_000, until: clock.now() + ms }
}

/** What nobody may be able to foresee. A simulated world has its own, and can be played again. */
export interface Chance {
  key(kind: KeyKind | undefined): Promise<KeyObject>
  serial(): Uint8Array
}

const systemChance: Chance = { key: createKey, serial: newSerial }

/** A new authority that signs itself, and leafs, but no other authority. */
export async function createAuthority(
  wish: AuthorityWish,
  chance: Chance = systemChance,
): Promise<KeyPair> {
  const key = await chance.key(wish.keyKind)
  const publicKey = createPublicKey(key)
  const name = parts.nameDer(wish.name, [])
  const { signCertificates, signLists } = parts.keyUses
  const certificate = signed({
    serial: chance.serial(),
    subject: name,
    publicKey,
    issuer: { name, keyIdentifier: parts.keyIdentifier(publicKey) },
    issuerKey: key,
    validity: wish.validity,
    extensions: [
      parts.isAuthority(true),
      parts.keyUsage(...keyUses(publicKey), signCertificates, signLists),
    ],
  })
  checked(certificate, certificate)
  return { certificate: certificate.pem, key: keyPem(key) }
}

/** A new key with a certificate of this authority. */
export async function issueCertificate(
  authority: KeyPair,
  wish: LeafWish,
  chance: Chance = systemChance,
): Promise<KeyPair> {
  const key = await chance.key(wish.keyKind)
  const certificate = certify(authority, createPublicKey(key), wish, chance)
  return { certificate, key: keyPem(key) }
}

/** What the authority decides about a request; the names and the key are the request's own. */
export type RequestTerms = Pick<LeafWish, 'usages' | 'validity'>

/** The certificate for a PEM PKCS#10 request. Whether its names may be certified is for the caller to have decided. */
export function signRequest(authority: KeyPair, request: string, terms: RequestTerms): string {
  const { publicKey, commonName = '', ...names } = readRequest(request)
  return certify(authority, publicKey, { ...names, commonName, ...terms }, systemChance)
}

function certify(authority: KeyPair, publicKey: KeyObject, wish: LeafWish, chance: Chance): string {
  const issuer = readCertificate(authority.certificate)
  const issuerKey = readKey(authority.key)
  if (!issuer.x509.checkPrivateKey(issuerKey)) {
    throw new InvalidInput(`the key is not that of the authority "${issuer.commonName}"`)
  }
  const { from, until } = wish.validity
  const certificate = signed({
    serial: chance.serial(),
    subject: parts.nameDer(wish.commonName, wish.organizations ?? []),
    publicKey,
    issuer: parts.issuerParts(issuer.x509),
    issuerKey,
    // Nothing may outlive who vouches for it, or claim to be older.
    validity: { from: Math.max(from, issuer.notBefore), until: Math.min(until, issuer.notAfter) },
    extensions: leafExtensions(wish, publicKey),
  })
  checked(certificate, issuer)
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

function signed(wish: Signing): Certificate {
  const { validity, issuer, issuerKey, publicKey } = wish
  if (validity.until <= validity.from) {
    throw new InvalidInput('the validity would end before it begins')
  }
  const { hash, identifier, parameters } = signingAlgorithm(issuerKey)
  const algorithm = der.sequence(
    der.identifier(identifier),
    ...(parameters === 'null' ? [der.nothing()] : []),
  )
  const extensions = [
    ...wish.extensions,
    parts.subjectKey(publicKey),
    parts.authorityKey(issuer.keyIdentifier),
  ]
  const body = der.sequence(
    der.placed(0, der.integer(Buffer.from([version3]))),
    der.integer(wish.serial),
    algorithm,
    issuer.name,
    der.sequence(der.time(wholeSecond(validity.from)), der.time(wholeSecond(validity.until))),
    wish.subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der.placed(3, der.sequence(...extensions.map(parts.extensionDer))),
  )
  const signature = signBytes(hash, body, issuerKey)
  return readCertificate(der.sequence(body, algorithm, der.bits(signature)))
}

/** Counted from 0. */
const version3 = 2

function leafExtensions(wish: LeafWish, publicKey: KeyObject): Extension[] {
  const { dnsNames = [], ipAddresses = [] } = wish
  const strange = dnsNames.find((name) => !dnsName.test(name))
  if (strange !== undefined) throw new InvalidInput(`"${strange}" is not a DNS name`)
  const named = dnsNames.length + ipAddresses.length > 0
  return [
    parts.isAuthority(false),
    parts.keyUsage(...keyUses(publicKey)),
    parts.extendedUsage(wish.usages),
    ...(named ? [parts.alternativeNames(dnsNames, ipAddresses.map(addressBytes))] : []),
  ]
}

/** Only RSA keys encrypt others. */
function keyUses({ asymmetricKeyType: type }: KeyObject): readonly number[] {
  const { digitalSignature, keyEncipherment } = parts.keyUses
  return type === 'rsa' ? [digitalSignature, keyEncipherment] : [digitalSignature]
}

const dnsName = /^(\*\.)?[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63})*\.?$/

/** We wrote it; OpenSSL, which shares no code with us, must agree that it is good. */
function checked(certificate: Certificate, issuer: Certificate): void {
  const verdict = verifyChain(certificate, [issuer], { at: certificate.notBefore })
  const isSigned = certificate.x509.verify(issuer.x509.publicKey)
  if ('problem' in verdict || !isSigned) {
    throw new Error(
      `a new certificate is not good: ${'problem' in verdict ? verdict.problem : 'signature'}`,
    )
  }
}

/** 127 random bits, never negative, never zero, always as long. */
function newSerial(): Uint8Array {
  const bytes = randomBytes(16)
  bytes[0] = (bytes[0]! & 0x3f) | 0x40
  return bytes
}

const wholeSecond = (ms: number): number => Math.floor(ms / 1000) * 1000
