import { createPublicKey, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { readPem } from '../../../base/pem.ts'
import type { DerElement } from './der.ts'
import { DerError, objectIdentifier, readElements, readMembers, readOnly } from './der.ts'
import { tags, wholeBytes } from './der.ts'

/** What a PKCS#10 request asks for, as far as the server cares. */
export interface SigningRequest {
  /** The O of its subject: the groups that a client would be in. */
  readonly organizations: readonly string[]
}

/** The request in a PEM text, proven by its own key; otherwise what is wrong with it, in kube-apiserver's words. */
export function readSigningRequest(pem: string): SigningRequest | { readonly problem: string } {
  const [block] = readPem(pem).blocks
  if (block?.label !== 'CERTIFICATE REQUEST') {
    return { problem: 'PEM block type must be CERTIFICATE REQUEST' }
  }
  try {
    return readRequest(block.der)
  } catch (error) {
    if (error instanceof DerError || error instanceof BadRequest) return { problem: error.message }
    throw error
  }
}

class BadRequest extends Error {}

function readRequest(der: Uint8Array): SigningRequest {
  const [info, algorithm, signature] = readMembers(readOnly(der, tags.sequence), [
    tags.sequence,
    tags.sequence,
    tags.bitString,
  ])
  const [, subject, keyInfo] = readMembers(info!, [tags.integer, tags.sequence, tags.sequence])
  const organizations = organizationsOf(subject!)
  const [signedWith] = readMembers(algorithm!, [tags.objectIdentifier])
  const key = publicKey(keyInfo!)
  checkSignature(objectIdentifier(signedWith!), key, info!.whole, wholeBytes(signature!))
  return { organizations }
}

const organization = '2.5.4.10'

/** A name is a sequence of sets of (type, value). */
function organizationsOf(subject: DerElement): string[] {
  return readElements(subject.content)
    .flatMap(({ content }) => readElements(content))
    .map((pair) => readMembers(pair, [tags.objectIdentifier, undefined]))
    .filter(([type]) => objectIdentifier(type!) === organization)
    .map(([, value]) => Buffer.from(value!.content).toString('utf8'))
}

const curves = new Set(['prime256v1', 'secp224r1', 'secp384r1', 'secp521r1'])

function publicKey({ whole }: DerElement): KeyObject {
  const key = readKey(whole)
  const { namedCurve } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType === 'ec' && !curves.has(namedCurve ?? '')) {
    throw new BadRequest('x509: unsupported elliptic curve')
  }
  return key
}

function readKey(spki: Uint8Array): KeyObject {
  try {
    return createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })
  } catch {
    throw new BadRequest('x509: invalid public key')
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
    throw new BadRequest('x509: cannot verify signature: algorithm unimplemented')
  }
  if (!isSignature(algorithm, key, signed, signature)) throw new BadRequest(failures[algorithm.key])
}

/** OpenSSL throws on some broken signatures instead of saying no. */
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
