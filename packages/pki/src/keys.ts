import type { KeyObject } from 'node:crypto'
import { createPrivateKey, generateKeyPair, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { InvalidInput } from '@machinist/core/errors'

export type KeyKind = 'ecdsa-p256' | 'rsa-2048' | 'rsa-4096'

const generate = promisify(generateKeyPair)

export async function createKey(kind: KeyKind = 'ecdsa-p256'): Promise<KeyObject> {
  if (kind === 'ecdsa-p256') return (await generate('ec', { namedCurve: 'P-256' })).privateKey
  const modulusLength = kind === 'rsa-2048' ? 2048 : 4096
  return (await generate('rsa', { modulusLength })).privateKey
}

/** A random bearer token of 256 bits. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** The private key as PKCS#8 in PEM. */
export function keyPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' })
}

/** Parses a private key in PEM. The error never quotes the text, which is secret. */
export function readKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch {
    throw new InvalidInput('not a private key in PEM, or it is encrypted with a passphrase')
  }
}

/** The algorithm with which this key signs certificates. */
export function signingAlgorithm(key: KeyObject): SigningAlgorithm {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  const name = type === 'ec' ? (details?.namedCurve ?? '') : (type ?? '')
  const algorithm = algorithms[name]
  if (algorithm) return algorithm
  throw new InvalidInput(`keys of type ${type} are not supported for signing: use ECDSA or RSA`)
}

export interface SigningAlgorithm {
  readonly hash: string
  /** Object identifier of the algorithm. */
  readonly identifier: string
  /** Whether a NULL parameter follows the identifier. */
  readonly parameters: 'none' | 'null'
}

/** By curve, or by key type. */
const algorithms: Readonly<Record<string, SigningAlgorithm>> = {
  prime256v1: { hash: 'sha256', identifier: '1.2.840.10045.4.3.2', parameters: 'none' },
  secp384r1: { hash: 'sha384', identifier: '1.2.840.10045.4.3.3', parameters: 'none' },
  rsa: { hash: 'sha256', identifier: '1.2.840.113549.1.1.11', parameters: 'null' },
}
