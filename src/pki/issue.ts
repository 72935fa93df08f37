import type { KeyObject } from 'node:crypto'
import { createPublicKey, randomBytes } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { InvalidInput } from '../base/errors.ts'
import type { Certificate } from './certificate.ts'
import { readCertificate } from './certificate.ts'
import { readRequest } from './certificate-request.ts'
import { verifyChain } from './chain.ts'
import type { KeyKind } from './keys.ts'
import { createKey, keyPem, readKey, signingAlgorithm, signingKey } from './keys.ts'
import type { Extension, JsonGeneralNames } from './x509-library.ts'
import * as x509 from './x509-library.ts'

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

/** A new authority that signs itself. */
export async function createAuthority(wish: AuthorityWish): Promise<KeyPair> {
  const key = await createKey(wish.keyKind)
  const certificate = await sign({
    subject: nameOf(wish.name, []),
    publicKey: createPublicKey(key),
    issuerName: nameOf(wish.name, []),
    issuerKey: key,
    validity: wish.validity,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
        true,
      ),
    ],
  })
  checked(certificate, certificate)
  return { certificate: certificate.pem, key: keyPem(key) }
}

/** A new key with a certificate of this authority. */
export async function issueCertificate(authority: KeyPair, wish: LeafWish): Promise<KeyPair> {
  const key = await createKey(wish.keyKind)
  const certificate = await certify(authority, createPublicKey(key), wish)
  return { certificate, key: keyPem(key) }
}

/** What the authority decides about a request; the names and the key are the request's own. */
export type RequestTerms = Pick<LeafWish, 'usages' | 'validity'>

/** The certificate for a PEM PKCS#10 request. Whether its names may be certified is for the caller to have decided. */
export async function signRequest(
  authority: KeyPair,
  request: string,
  terms: RequestTerms,
): Promise<string> {
  const { publicKey, commonName = '', ...names } = await readRequest(request)
  return certify(authority, publicKey, { ...names, commonName, ...terms })
}

async function certify(authority: KeyPair, publicKey: KeyObject, wish: LeafWish): Promise<string> {
  const issuer = readCertificate(authority.certificate)
  const issuerKey = readKey(authority.key)
  if (!issuer.x509.checkPrivateKey(issuerKey)) {
    throw new InvalidInput(`the key is not that of the authority "${issuer.commonName}"`)
  }
  const { from, until } = wish.validity
  const certificate = await sign({
    subject: nameOf(wish.commonName, wish.organizations ?? []),
    publicKey,
    issuerName: new x509.LibraryCertificate(issuer.x509.raw).subjectName,
    issuerKey,
    // Nothing may outlive who vouches for it, or claim to be older.
    validity: { from: Math.max(from, issuer.notBefore), until: Math.min(until, issuer.notAfter) },
    extensions: leafExtensions(wish, publicKey),
  })
  checked(certificate, issuer)
  return certificate.pem
}

interface Signing {
  readonly subject: x509.Name
  readonly publicKey: KeyObject
  readonly issuerName: x509.Name
  readonly issuerKey: KeyObject
  readonly validity: Validity
  readonly extensions: readonly Extension[]
}

async function sign(wish: Signing): Promise<Certificate> {
  const { from, until } = wish.validity
  if (until <= from) throw new InvalidInput('the validity would end before it begins')
  const publicKey = spki(wish.publicKey)
  const made = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: wish.subject,
    issuer: wish.issuerName,
    notBefore: wholeSecond(from),
    notAfter: wholeSecond(until),
    publicKey,
    signingKey: signingKey(wish.issuerKey),
    signingAlgorithm: signingAlgorithm(wish.issuerKey),
    extensions: [
      ...wish.extensions,
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(spki(createPublicKey(wish.issuerKey))),
    ],
  })
  return readCertificate(new Uint8Array(made.rawData))
}

function leafExtensions(wish: LeafWish, publicKey: KeyObject): Extension[] {
  const { digitalSignature, keyEncipherment } = x509.KeyUsageFlags
  const rsa = publicKey.asymmetricKeyType === 'rsa'
  const names = alternativeNames(wish)
  const usage = {
    server: x509.ExtendedKeyUsage.serverAuth,
    client: x509.ExtendedKeyUsage.clientAuth,
  }
  return [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(rsa ? digitalSignature | keyEncipherment : digitalSignature, true),
    new x509.ExtendedKeyUsageExtension(wish.usages.map((each) => usage[each])),
    ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
  ]
}

function alternativeNames({ dnsNames = [], ipAddresses = [] }: LeafWish): JsonGeneralNames {
  const strange = dnsNames.find((name) => !dnsName.test(name))
  if (strange !== undefined) throw new InvalidInput(`"${strange}" is not a DNS name`)
  const wrong = ipAddresses.find((address) => !isIpAddress(address))
  if (wrong !== undefined) throw new InvalidInput(`"${wrong}" is not an IP address`)
  return [
    ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
    ...ipAddresses.map((value) => ({ type: 'ip' as const, value })),
  ]
}

const dnsName = /^(\*\.)?[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63})*\.?$/

/** Node's own judgement, without loading anything of the network. */
function isIpAddress(text: string): boolean {
  if (!/^[0-9A-Fa-f.:]+$/.test(text)) return false
  if (!text.includes(':')) return /^\d+(\.\d+){3}$/.test(text) && URL.canParse(`http://${text}/`)
  return URL.canParse(`http://[${text}]/`)
}

/** Names are given in parts, never as one text that would have to be escaped. */
function nameOf(commonName: string, organizations: readonly string[]): x509.Name {
  const text = (utf8String: string): { utf8String: string }[] => [{ utf8String }]
  return new x509.Name([
    ...organizations.map((organization) => ({ O: text(organization) })),
    ...(commonName === '' ? [] : [{ CN: text(commonName) }]),
  ])
}

/** The library wrote it; node, which shares no code with it, must agree that it is good. */
function checked(certificate: Certificate, issuer: Certificate): void {
  const verdict = verifyChain(certificate, [issuer], { at: certificate.notBefore })
  const signed = certificate.x509.verify(issuer.x509.publicKey)
  if ('problem' in verdict || !signed) {
    throw new Error(
      `a new certificate is not good: ${'problem' in verdict ? verdict.problem : 'signature'}`,
    )
  }
}

/** 127 random bits, never negative, never zero, always as long. */
function newSerial(): string {
  const bytes = randomBytes(16)
  bytes[0] = (bytes[0]! & 0x3f) | 0x40
  return bytes.toString('hex')
}

const spki = (key: KeyObject): x509.PublicKey =>
  new x509.PublicKey(key.export({ type: 'spki', format: 'der' }))

const wholeSecond = (ms: number): Date => new Date(Math.floor(ms / 1000) * 1000)
