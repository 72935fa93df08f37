import type { KeyObject } from 'node:crypto'
import { createHash, sign, verify } from 'node:crypto'
import { isObject } from '@machinist/core/json'

/** A key of the P-256 curve with the id that tokens name it by. */
export interface JwtKey {
  readonly id: string
  readonly key: KeyObject
}

export interface SignedClaims {
  readonly claims: Readonly<Record<string, unknown>>
  /** Whether one of these keys signed it. Look at the claims only to decide which keys to ask. */
  isSignedBy(keys: readonly JwtKey[]): boolean
}

/** The id as Kubernetes derives it: a digest of the public key. */
export function keyId(publicKey: KeyObject): string {
  const der = publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(der).digest('base64url')
}

/** A public key as RFC 7517 writes it, in the order in which Kubernetes does. */
export interface PublicJwk {
  readonly use: 'sig'
  readonly kty: 'EC'
  readonly kid: string
  readonly crv: string
  readonly alg: 'ES256'
  readonly x: string
  readonly y: string
}

export function publicJwk({ id, key }: JwtKey): PublicJwk {
  const { crv = '', x = '', y = '' } = key.export({ format: 'jwk' })
  return { use: 'sig', kty: 'EC', kid: id, crv, alg: 'ES256', x, y }
}

/** A compact JSON web token with an ES256 signature. */
export function signJwt({ id, key }: JwtKey, claims: unknown): string {
  const content = `${encoded({ alg: 'ES256', kid: id })}.${encoded(claims)}`
  const signature = sign('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' })
  return `${content}.${signature.toString('base64url')}`
}

/** Undefined for everything that is not in the form of an ES256 token; the signature is not looked at yet. */
export function readJwt(token: string): SignedClaims | undefined {
  if (token.length > longestToken) return undefined
  const parts = token.split('.')
  if (parts.length !== 3) return undefined
  const [head, claims] = [decoded(parts[0]!), decoded(parts[1]!)]
  // Any other algorithm, `none` above all, must never reach a verifier.
  if (!head || !claims || head['alg'] !== 'ES256') return undefined
  const content = Buffer.from(`${parts[0]}.${parts[1]}`)
  const signature = Buffer.from(parts[2]!, 'base64url')
  return {
    claims,
    isSignedBy: (keys) =>
      signature.length === 64 &&
      signature.toString('base64url') === parts[2] &&
      keys.some(
        ({ id, key }) =>
          (head['kid'] === undefined || head['kid'] === id) &&
          verify('sha256', content, { key, dsaEncoding: 'ieee-p1363' }, signature),
      ),
  }
}

const longestToken = 16_384

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function decoded(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
