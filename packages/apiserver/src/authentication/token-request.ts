import { invalidReview } from '../authorization/invalid-review.ts'
import type { StatusError } from '../status/status-error.ts'
import { badRequest, conflict, notFound } from '../status/status-error.ts'
import type { NamedObject, ServiceAccountTokens, TokenGrant } from './service-account-tokens.ts'

export interface TokenRequestSpec {
  readonly audiences?: readonly string[] | null
  readonly expirationSeconds?: number | null
  readonly boundObjectRef?: BoundObjectRef | null
}

export interface BoundObjectRef {
  readonly apiVersion?: string
  readonly kind?: string
  readonly name?: string
  readonly uid?: string
}

/** Looks up the objects that a token can be bound to. */
export interface BindableObjects {
  /** In the namespace of the service account; Nodes are cluster-scoped. */
  find(kind: 'Pod' | 'Secret' | 'Node', name: string): BindableObject | undefined
}

export interface BindableObject extends NamedObject {
  /** Only for pods. */
  readonly nodeName?: string
  readonly serviceAccountName?: string
}

/** The defaulted spec and the issued token. */
export interface TokenResponse {
  readonly spec: TokenRequestSpec
  readonly status: { readonly token: string; readonly expirationTimestamp: string }
}

/** Issues the token that a TokenRequest asks for. Throws a StatusError if it cannot. */
export function tokenRequest(
  tokens: ServiceAccountTokens,
  account: NamedObject & { readonly namespace: string },
  spec: TokenRequestSpec,
  objects: BindableObjects,
): TokenResponse {
  const seconds = spec.expirationSeconds ?? 3600
  if (seconds < 600)
    throw invalidSeconds(seconds, 'may not specify a duration less than 10 minutes')
  if (seconds > 2 ** 32) {
    throw invalidSeconds(seconds, 'may not specify a duration larger than 2^32 seconds')
  }
  const audiences = spec.audiences?.length ? spec.audiences : tokens.audiences
  const { namespace, name, uid } = account
  const { token, expires } = tokens.issue({
    namespace,
    account: { name, uid },
    audiences,
    seconds,
    ...(spec.boundObjectRef && binding(account, spec.boundObjectRef, objects)),
  })
  const expirationTimestamp = new Date(expires).toISOString().replace('.000Z', 'Z')
  return {
    spec: { audiences, expirationSeconds: seconds, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token, expirationTimestamp },
  }
}

type Binding = Pick<TokenGrant, 'pod' | 'node' | 'secret'>

function binding(account: NamedObject, ref: BoundObjectRef, objects: BindableObjects): Binding {
  const { apiVersion = '', kind = '' } = ref
  if (apiVersion !== 'v1' || (kind !== 'Pod' && kind !== 'Secret' && kind !== 'Node')) {
    throw badRequest(`cannot bind token to object of type ${goKind(apiVersion, kind)}`)
  }
  const found = findBound(kind, ref, objects)
  const named = { name: found.name, uid: found.uid }
  if (kind === 'Secret') return { secret: named }
  if (kind === 'Node') return { node: named }
  if (found.serviceAccountName !== undefined && found.serviceAccountName !== account.name) {
    throw badRequest(
      `cannot bind token for serviceaccount "${account.name}" to pod running with different serviceaccount name.`,
    )
  }
  const node = found.nodeName ? objects.find('Node', found.nodeName) : undefined
  return { pod: named, ...(node && { node: { name: node.name, uid: node.uid } }) }
}

function findBound(
  kind: 'Pod' | 'Secret' | 'Node',
  { name = '', uid = '' }: BoundObjectRef,
  objects: BindableObjects,
): BindableObject {
  if (name === '') throw badRequest('Name parameter required.')
  const place = { group: '', resource: `${kind.toLowerCase()}s`, kind, name }
  const found = objects.find(kind, name)
  if (!found) throw notFound(place)
  if (uid === '' || uid === found.uid) return found
  const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`
  throw conflict({ ...place, resource: kind }, why)
}

/** A kind as Go prints it: `/v1, Kind=ConfigMap`, `apps/v1, Kind=Deployment`. */
const goKind = (apiVersion: string, kind: string): string =>
  `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`

const invalidSeconds = (seconds: number, why: string): StatusError =>
  invalidReview('authentication.k8s.io', 'TokenRequest', {
    field: 'spec.expirationSeconds',
    message: `Invalid value: ${seconds}: ${why}`,
  })
