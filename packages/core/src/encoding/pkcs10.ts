import { createPublicKey, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { DerElement } from './der.ts'
import {
  DerError,
  objectIdentifier,
  readElements,
  readMembers,
  readOnly,
  tags,
  wholeBytes,
} from './der.ts'

/** A certificate signing request. */
export interface Pkcs10 {
  readonly subject: readonly NamePart[]
  readonly publicKey: KeyObject
  /** The requested extensions, by object identifier. */
  readonly extensions: ReadonlyMap<string, Uint8Array>
}

/** An attribute of a distinguished name; type `2.5.4.3` is the common name. */
export interface NamePart {
  readonly type: string
  readonly value: string
}

/** Object identifiers of name attributes and extensions. */
export const identifiers = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  alternativeNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const

/** Valid DER, but not a valid or supported request. The messages follow Go's crypto/x509. */
export class InvalidCertificateRequest extends Error {}

/** Parses a request and verifies its signature. Throws DerError or BadRequest. */
export function readPkcs10(der: Uint8Array): Pkcs10 {
  const [info, algorithm, signature] = readMembers(readOnly(der, tags.sequence), [
    tags.sequence,
    tags.sequence,
    tags.bitString,
  ])
  const [, subject, keyInfo, attributes] = readMembers(info!, [
    tags.integer,
    tags.sequence,
    tags.sequence,
  ])
  const [signedWith] = readMembers(algorithm!, [tags.objectIdentifier])
  const request = {
    subject: nameParts(subject!),
    publicKey: publicKeyOf(keyInfo!),
    extensions: extensionsIn(attributes),
  }
  const { publicKey } = request
  checkSignature(objectIdentifier(signedWith!), publicKey, info!.whole, wholeBytes(signature!))
  return request
}

/** A distinguished name is a sequence of sets of (type, value). */
function nameParts(name: DerElement): NamePart[] {
  return readElements(name.content)
    .flatMap(({ content }) => readElements(content))
    .map((pair) => readMembers(pair, [tags.objectIdentifier, undefined]))
    .map(([type, value]) => ({
      type: objectIdentifier(type!),
      value: Buffer.from(value!.content).toString('utf8'),
    }))
}

const extensionRequest = '1.2.840.113549.1.9.14'

/**
 * The first value of each extension request attribute is a list of extensions. Duplicates are rejected, because other readers
 * might use the other one.
 */
function extensionsIn(attributes: DerElement | undefined): ReadonlyMap<string, Uint8Array> {
  if (attributes?.tag !== tags.optional0) return new Map()
  const requested = readElements(attributes.content)
    .map((attribute) => readMembers(attribute, [tags.objectIdentifier, tags.set]))
    .filter(([type]) => objectIdentifier(type!) === extensionRequest)
    .flatMap(([, values]) => readElements(values!.content).slice(0, 1))
    .flatMap(readExtensions)
  const extensions = new Map(requested)
  if (extensions.size < requested.length) {
    throw new InvalidCertificateRequest(
      'x509: certificate request contains duplicate requested extensions',
    )
  }
  return extensions
}

/** Each extension is (identifier, optional critical flag, value). Additional members are rejected as ambiguous. */
export function readExtensions({ content }: DerElement): [string, Uint8Array][] {
  return readElements(content).map((extension) => {
    const [type, ...rest] = readMembers(extension, [tags.objectIdentifier, undefined])
    const [value, ...more] = rest[0]!.tag === tags.boolean ? rest.slice(1) : rest
    if (value?.tag !== tags.octetString || more.length > 0) {
      throw new DerError('structure error: malformed extension')
    }
    return [objectIdentifier(type!), value.content]
  })
}

const curves = new Set(['prime256v1', 'secp224r1', 'secp384r1', 'secp521r1'])

function publicKeyOf({ whole }: DerElement): KeyObject {
  const key = readKey(whole)
  const { namedCurve } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType === 'ec' && !curves.has(namedCurve ?? '')) {
    throw new InvalidCertificateRequest('x509: unsupported elliptic curve')
  }
  return key
}

function readKey(spki: Uint8Array): KeyObject {
  try {
    return createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })
  } catch {
    throw new InvalidCertificateRequest('x509: invalid public key')
  }
}

interface Algorithm {
  readonly key: 'rsa' | 'ec' | 'ed25519'
  readonly hash: string | null
}

const algorithms: Readonly<Record<string, Algorithm>> = {
  '1.2.840.113549.1.1.5': { key: 'rsa', hash: 'sha1' },
  '1.2.840.113549.1.1.11': { key: 'rsa', hash: 'sha256' },
  '1.2.840.113549.1.1.12': { key: 'rsa', hash: 'sha384' },
  '1.2.840.113549.1.1.13': { key: 'rsa', hash: 'sha512' },
  '1.2.840.10045.4.1': { key: 'ec', hash: 'sha1' },
  '1.2.840.10045.4.3.2': { key: 'ec', hash: 'sha256' },
  '1.2.840.10045.4.3.3': { key: 'ec', hash: 'sha384' },
  '1.2.840.10045.4.3.4': { key: 'ec', hash: 'sha512' },
  '1.3.101.112': { key: 'ed25519', hash: null },
}

const failures: Readonly<Record<Algorithm['key'], string>> = {
  rsa: 'crypto/rsa: verification error',
  ec: 'x509: ECDSA verification failure',
  ed25519: 'x509: Ed25519 verification failure',
}

function checkSignature(
  identifier: string,
  key: KeyObject,
  signed: Uint8Array,
  signature: Uint8Array,
): void {
  const algorithm = algorithms[identifier]
  if (!algorithm || algorithm.key !== key.asymmetricKeyType) {
    throw new InvalidCertificateRequest('x509: cannot verify signature: algorithm unimplemented')
  }
  if (!isSignature(algorithm, key, signed, signature))
    throw new InvalidCertificateRequest(failures[algorithm.key])
}

/** OpenSSL throws on some malformed signatures. */
function isSignature(
  { hash }: Algorithm,
  key: KeyObject,
  signed: Uint8Array,
  signature: Uint8Array,
): boolean {
  try {
    return verify(hash, signed, key, signature)
  } catch {
    return false
  }
}
