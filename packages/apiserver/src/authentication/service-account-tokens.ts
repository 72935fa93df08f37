import type { KeyObject } from 'node:crypto'
import { createPublicKey } from 'node:crypto'
import type { Clock } from '@machinist/core/clock'
import { isObject } from '@machinist/core/encoding/json'
import { goList } from '../go/list-text.ts'
import type { UserInfo } from '../identity/user-info.ts'
import { authenticated, serviceAccountGroups, serviceAccountUser } from '../identity/user-info.ts'
import type { JwtKey, PublicJwk } from './jwt.ts'
import { keyId, publicJwk, readJwt, signJwt } from './jwt.ts'

export interface NamedObject {
  readonly name: string
  readonly uid: string
}

/** The content of a token; it becomes invalid when the object that it is bound to is deleted. */
export interface TokenGrant {
  readonly namespace: string
  readonly account: NamedObject
  readonly audiences: readonly string[]
  readonly seconds: number
  readonly pod?: NamedObject
  /** The Node that the token, or its pod, is bound to. */
  readonly node?: NamedObject
  readonly secret?: NamedObject
}

export type BoundKind = 'ServiceAccount' | 'Pod' | 'Secret' | 'Node'

/** Looks up the uid of an object that a token is bound to. */
export type FindUid = (kind: BoundKind, name: string, namespace: string) => string | undefined

export interface TokenSettings {
  readonly issuer: string
  /** Audiences of the API server itself: the default for tokens. */
  readonly audiences: readonly string[]
  /** P-256. */
  readonly signingKey: KeyObject
  /** Previous keys whose tokens are still accepted. */
  readonly formerKeys?: readonly KeyObject[]
  readonly clock: Clock
  readonly findUid: FindUid
  /** A unique id for each token. */
  readonly newId: () => string
}

export type TokenVerification =
  | { readonly user: UserInfo; readonly audiences: readonly string[] }
  /** A token of this issuer that is invalid or expired. The problem never quotes the token. */
  | { readonly problem: string }

/** Issues and verifies the tokens of service accounts. */
export class ServiceAccountTokens {
  readonly issuer: string
  readonly audiences: readonly string[]
  readonly #settings: TokenSettings
  readonly #signer: JwtKey
  readonly #trusted: readonly JwtKey[]

  constructor(settings: TokenSettings) {
    this.#settings = settings
    this.issuer = settings.issuer
    this.audiences = settings.audiences
    const trusted = [settings.signingKey, ...(settings.formerKeys ?? [])].map(publicHalf)
    this.#trusted = trusted.map((key) => ({ id: keyId(key), key }))
    this.#signer = { id: this.#trusted[0]!.id, key: settings.signingKey }
  }

  /** Public keys for verifiers, as JSON web keys. */
  get publicKeys(): PublicJwk[] {
    return this.#trusted.map(publicJwk)
  }

  issue(grant: TokenGrant): { readonly token: string; readonly expires: number } {
    const now = Math.floor(this.#settings.clock.now() / 1000)
    const { namespace, account, pod, node, secret } = grant
    const token = signJwt(this.#signer, {
      aud: grant.audiences,
      exp: now + grant.seconds,
      iat: now,
      iss: this.#settings.issuer,
      jti: this.#settings.newId(),
      'kubernetes.io': { namespace, node, pod, secret, serviceaccount: account },
      nbf: now,
      sub: serviceAccountUser(namespace, account.name),
    })
    return { token, expires: (now + grant.seconds) * 1000 }
  }

  /** Undefined if the token is not from this issuer: another authenticator may accept it. */
  verify(token: string, audiences: readonly string[]): TokenVerification | undefined {
    const jwt = readJwt(token)
    if (!jwt || jwt.claims['iss'] !== this.#settings.issuer) return undefined
    if (!jwt.isSignedBy(this.#trusted)) return { problem: 'the signature does not match' }
    const claims = claimsOf(jwt.claims)
    if (!claims) return { problem: 'claims are missing' }
    const now = Math.floor(this.#settings.clock.now() / 1000)
    if (now < claims.notBefore) return { problem: 'service account token is not valid yet' }
    if (now >= claims.expires) return { problem: 'service account token has expired' }
    const shared = audiences.filter((audience) => claims.audiences.includes(audience))
    if (shared.length === 0) {
      const [has, wants] = [goList(claims.audiences), goList(audiences)]
      return { problem: `token audiences ${has} is invalid for the target audiences ${wants}` }
    }
    const problem = this.#lostBinding(claims)
    return problem === undefined ? { user: userOf(claims), audiences: shared } : { problem }
  }

  #lostBinding({ namespace, account, pod, node, secret }: Claims): string | undefined {
    const { findUid } = this.#settings
    const found = findUid('ServiceAccount', account.name, namespace)
    if (found === undefined) return `serviceaccounts "${account.name}" not found`
    const lives = (kind: BoundKind, object: NamedObject | undefined, where = namespace): boolean =>
      object === undefined || findUid(kind, object.name, where) === object.uid
    // The node of a pod is informational; without a pod the token is bound to the node.
    const nodeLives = pod !== undefined || lives('Node', node, '')
    const all = found === account.uid && lives('Pod', pod) && lives('Secret', secret) && nodeLives
    return all ? undefined : 'service account token has been invalidated'
  }
}

interface Claims extends Omit<TokenGrant, 'seconds'> {
  readonly id: string | undefined
  readonly notBefore: number
  readonly expires: number
}

function claimsOf(claims: Readonly<Record<string, unknown>>): Claims | undefined {
  const own = claims['kubernetes.io']
  const { aud, exp, nbf, jti, sub } = claims
  if (!isObject(own) || typeof exp !== 'number' || !Array.isArray(aud)) return undefined
  const { namespace, serviceaccount } = own
  if (typeof namespace !== 'string' || !isNamed(serviceaccount)) return undefined
  if (sub !== serviceAccountUser(namespace, serviceaccount.name)) return undefined
  return {
    namespace,
    account: serviceaccount,
    audiences: aud.map(String),
    id: typeof jti === 'string' ? jti : undefined,
    notBefore: typeof nbf === 'number' ? nbf : 0,
    expires: exp,
    ...(isNamed(own['pod']) && { pod: own['pod'] }),
    ...(isNamed(own['node']) && { node: own['node'] }),
    ...(isNamed(own['secret']) && { secret: own['secret'] }),
  }
}

function userOf({ namespace, account, id, pod, node }: Claims): UserInfo {
  const extra: Record<string, string[]> = {
    ...(id !== undefined && { 'credential-id': [`JTI=${id}`] }),
    ...(node && { 'node-name': [node.name], 'node-uid': [node.uid] }),
    ...(pod && { 'pod-name': [pod.name], 'pod-uid': [pod.uid] }),
  }
  return authenticated({
    username: serviceAccountUser(namespace, account.name),
    uid: account.uid,
    groups: serviceAccountGroups(namespace),
    extra: Object.fromEntries(
      Object.entries(extra).map(([key, value]) => [`authentication.kubernetes.io/${key}`, value]),
    ),
  })
}

const isNamed = (value: unknown): value is NamedObject =>
  isObject(value) && typeof value['name'] === 'string' && typeof value['uid'] === 'string'

const publicHalf = (key: KeyObject): KeyObject =>
  key.type === 'private' ? createPublicKey(key) : key
