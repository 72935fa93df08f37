import type { TokenVerdict } from '../../fleet/provisioning/token-validity.ts'
import type { AccessDecision } from './access.ts'

export type Refusal = Extract<AccessDecision, { type: 'refused' }>

/** Why the server refuses a config: values of the metric, and part of the response. */
export const refusalReasons = {
  noToken: 'NoToken',
  unknownToken: 'UnknownToken',
  expiredToken: 'ExpiredToken',
  revokedToken: 'RevokedToken',
  usedToken: 'UsedToken',
  addressNotAllowed: 'AddressNotAllowed',
  tooManyRefusals: 'TooManyRefusals',
  tokensUnavailable: 'TokensUnavailable',
} as const

export type RefusalReason = (typeof refusalReasons)[keyof typeof refusalReasons]

/** The causes and what to do, for events. */
export const refusalTexts: Readonly<Record<RefusalReason, string>> = {
  NoToken:
    'the request has no provisioning token. Start the machine with the current user data of the pool.',
  UnknownToken:
    'no Secret of the pool has its provisioning token: it was revoked, rotated, or is of another pool. Start the machine with the current user data of the pool.',
  ExpiredToken:
    'its provisioning token has expired. Start the machine with the current user data of the pool, or create a token.',
  RevokedToken: 'its provisioning token is being deleted. Start the machine with another token.',
  UsedToken:
    'its provisioning token is for a single use and was used before. Create a token for each machine.',
  AddressNotAllowed:
    'its provisioning token does not allow this client address. Correct the ranges of the token, or use another token.',
  TooManyRefusals: 'the client exceeds the rate limit for refused requests.',
  TokensUnavailable:
    'the provisioning tokens cannot be read or updated at the moment. Clients retry.',
}

export const refusalOf = (verdict: Exclude<TokenVerdict, 'allowed' | 'allowed-once'>): Refusal =>
  refuse(reasonOf[verdict])

const reasonOf = {
  expired: refusalReasons.expiredToken,
  revoked: refusalReasons.revokedToken,
  used: refusalReasons.usedToken,
  address: refusalReasons.addressNotAllowed,
} as const

/** Ignition retries 5xx, and gives up after 4xx: 503 for everything that may be different soon. */
const statusOf: Readonly<Record<RefusalReason, Refusal['status']>> = {
  NoToken: 401,
  UnknownToken: 401,
  ExpiredToken: 401,
  RevokedToken: 401,
  UsedToken: 401,
  AddressNotAllowed: 403,
  TooManyRefusals: 429,
  TokensUnavailable: 503,
}

const unavailableSeconds = 5

export function refuse(reason: RefusalReason, retryAfter?: number): Refusal {
  const seconds = statusOf[reason] === 503 ? unavailableSeconds : retryAfter
  return {
    type: 'refused',
    status: statusOf[reason],
    reason,
    ...(seconds !== undefined && { retryAfter: seconds }),
  }
}
