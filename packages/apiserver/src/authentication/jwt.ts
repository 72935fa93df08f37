import type { KeyObject } from 'node:crypto'
import { createHash, sign, verify } from 'node:crypto'
import { isObject } from '@machinist/core/encoding/json'

/** A P-256 key and its key id. */
export interface JwtKey {
  readonly id: string
  readonly key: KeyObject
}

export interface SignedClaims {
  readonly claims: Readonly<Record<string, unknown>>
  /** Whether one of the keys signed the token. Read unverified claims only to choose keys. */
  isSignedBy(keys: readonly JwtKey[]): boolean
}

/** The key id as Kubernetes derives it: a digest of the public key. */
export function keyId(publicKey: KeyObject): string {
  const der = publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(der).digest('base64url')
}

/** A public key as in RFC 7517, with fields in Kubernetes' order. */
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

/** Undefined for anything that is not an ES256 token; does not verify the signature. */
export function readJwt(token: string): SignedClaims | undefined {
  if (token.length > longestToken) return undefined
  const parts = token.split('.')
  if (parts.length !== 3) return undefined
  const [head, claims] = [decoded(parts[0]!), decoded(parts[1]!)]
  // Other algorithms, `none` in particular, must never reach the verification.
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
