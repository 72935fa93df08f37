import { badRequest } from '../status/status-error.ts'
import type { UserInfo } from '../identity/user-info.ts'
import type { Authenticator } from './authenticator.ts'

export interface TokenReviewSpec {
  readonly token?: string
  readonly audiences?: readonly string[] | null
}

export interface TokenReviewStatus {
  readonly authenticated?: boolean
  readonly user: UserInfo | Record<string, never>
  readonly audiences?: readonly string[]
  readonly error?: string
}

/** The status of a TokenReview. */
export function tokenReview(
  authenticator: Authenticator,
  { token, audiences }: TokenReviewSpec,
): TokenReviewStatus {
  if (!token) throw badRequest('token is required for TokenReview in authentication')
  const found = authenticator.identify(token, audiences ?? [])
  if (found.user) {
    return { authenticated: true, user: found.user, audiences: found.audiences ?? [] }
  }
  const error = found.problem ? `[invalid bearer token, ${found.problem}]` : 'invalid bearer token'
  return { user: {}, error }
}

/** The status of a SelfSubjectReview: `kubectl auth whoami`. */
export function selfReview(user: UserInfo): { readonly userInfo: UserInfo } {
  return { userInfo: user }
}
