import type { UserInfo } from '../identity/user-info.ts'
import type { StatusError } from '../status/status-error.ts'
import type { Attributes } from './attributes.ts'
import type { Authorizer, AuthorizationDecision } from './authorizer.ts'
import { invalidReview } from './invalid-review.ts'

/** The spec of a SelfSubjectAccessReview. */
export interface SelfAccessSpec {
  readonly resourceAttributes?: ReviewedResource | null
  readonly nonResourceAttributes?: ReviewedPath | null
}

/** The spec of a SubjectAccessReview and of a LocalSubjectAccessReview. */
export interface AccessSpec extends SelfAccessSpec {
  readonly user?: string
  readonly uid?: string
  readonly groups?: readonly string[] | null
  readonly extra?: Readonly<Record<string, readonly string[]>> | null
}

export interface AccessStatus {
  readonly allowed: boolean
  readonly reason?: string
}

/** Whether the requesting user is allowed. Throws a StatusError if the spec is incomplete. */
export function selfAccessReview(
  authorizer: Authorizer,
  user: UserInfo,
  spec: SelfAccessSpec,
): AccessStatus {
  return statusOf(authorizer.allowed(user, attributesOf(spec)))
}

/** Whether another user is allowed. */
export function accessReview(authorizer: Authorizer, spec: AccessSpec): AccessStatus {
  const attributes = attributesOf(spec)
  const { user = '', uid, groups, extra } = spec
  if (user === '' && !groups?.length) {
    throw invalidSpec(
      'spec.user',
      'Invalid value: "": at least one of user or group must be specified',
    )
  }
  const reviewed: UserInfo = {
    username: user,
    groups: groups ?? [],
    ...(uid && { uid }),
    ...(extra && { extra }),
  }
  return statusOf(authorizer.allowed(reviewed, attributes))
}

/** Whether another user is allowed in the namespace of the review. */
export function localAccessReview(
  authorizer: Authorizer,
  namespace: string,
  spec: AccessSpec,
): AccessStatus {
  const { resourceAttributes, nonResourceAttributes } = spec
  if (nonResourceAttributes && !resourceAttributes) {
    const value = goPath(nonResourceAttributes)
    const message = `Invalid value: ${value}: disallowed on this kind of request`
    throw invalidSpec('spec.nonResourceAttributes', message)
  }
  if (resourceAttributes && (resourceAttributes.namespace ?? '') !== namespace) {
    const value = JSON.stringify(resourceAttributes.namespace ?? '')
    const message = `Invalid value: ${value}: must match metadata.namespace`
    throw invalidSpec('spec.resourceAttributes.namespace', message)
  }
  return accessReview(authorizer, spec)
}

interface ReviewedResource {
  readonly verb?: string
  readonly group?: string
  readonly resource?: string
  readonly subresource?: string
  readonly name?: string
  readonly namespace?: string
}

interface ReviewedPath {
  readonly verb?: string
  readonly path?: string
}

function attributesOf({ resourceAttributes, nonResourceAttributes }: SelfAccessSpec): Attributes {
  if (resourceAttributes && nonResourceAttributes) {
    const value = goPath(nonResourceAttributes)
    const message = `Invalid value: ${value}: cannot be specified in combination with resourceAttributes`
    throw invalidSpec('spec.nonResourceAttributes', message)
  }
  if (resourceAttributes) {
    const { verb = '', group = '', resource = '', ...rest } = resourceAttributes
    return { ...rest, verb, group, resource }
  }
  if (nonResourceAttributes) {
    return { verb: nonResourceAttributes.verb ?? '', path: nonResourceAttributes.path ?? '' }
  }
  const either = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
  throw invalidSpec('spec.resourceAttributes', `Invalid value: "null": ${either}`)
}

const statusOf = ({ allowed, reason }: AuthorizationDecision): AccessStatus => ({
  allowed,
  ...(reason !== '' && { reason }),
})

/** The value as Go prints it. */
const goPath = ({ path = '', verb = '' }: ReviewedPath): string =>
  `authorization.NonResourceAttributes{Path:${JSON.stringify(path)}, Verb:${JSON.stringify(verb)}}`

const invalidSpec = (field: string, message: string): StatusError =>
  invalidReview('authorization.k8s.io', '', { field, message })
