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

/** A text that nobody can guess, for use as a bearer token. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** PKCS#8, which every consumer reads. */
export function keyPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' })
}

/** The message never quotes the text: it is a secret. */
export function readKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch {
    throw new InvalidInput('this is not a private key in PEM form, or it needs a passphrase')
  }
}

/** How this key signs certificates. */
export function signingAlgorithm(key: KeyObject): SigningAlgorithm {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  const name = type === 'ec' ? (details?.namedCurve ?? '') : (type ?? '')
  const algorithm = algorithms[name]
  if (algorithm) return algorithm
  throw new InvalidInput(`keys of the type ${type} cannot sign here: use ECDSA or RSA`)
}

export interface SigningAlgorithm {
  readonly hash: string
  /** As certificates name it, and whether an empty parameter follows. */
  readonly identifier: string
  readonly parameters: 'none' | 'null'
}

/** By curve, or by type of key. */
const algorithms: Readonly<Record<string, SigningAlgorithm>> = {
  prime256v1: { hash: 'sha256', identifier: '1.2.840.10045.4.3.2', parameters: 'none' },
  secp384r1: { hash: 'sha384', identifier: '1.2.840.10045.4.3.3', parameters: 'none' },
  rsa: { hash: 'sha256', identifier: '1.2.840.113549.1.1.11', parameters: 'null' },
}
