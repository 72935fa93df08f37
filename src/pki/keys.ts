import type { KeyObject, webcrypto } from 'node:crypto'
import { createPrivateKey, generateKeyPair, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { InvalidInput } from '../base/errors.ts'

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
  if (type === 'rsa') return { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const curve = type === 'ec' ? curves[details?.namedCurve ?? ''] : undefined
  if (!curve) throw new InvalidInput(`keys of the type ${type} cannot sign here: use ECDSA or RSA`)
  return { name: 'ECDSA', ...curve }
}

/** The key in the form that the library signs with. */
export function signingKey(key: KeyObject): webcrypto.CryptoKey {
  return key.toCryptoKey(signingAlgorithm(key), false, ['sign'])
}

export interface SigningAlgorithm {
  readonly name: 'ECDSA' | 'RSASSA-PKCS1-v1_5'
  readonly hash: string
  readonly namedCurve?: string
}

const curves: Readonly<Record<string, { readonly namedCurve: string; readonly hash: string }>> = {
  prime256v1: { namedCurve: 'P-256', hash: 'SHA-256' },
  secp384r1: { namedCurve: 'P-384', hash: 'SHA-384' },
}
