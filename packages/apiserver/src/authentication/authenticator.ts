import type { X509Certificate } from 'node:crypto'
import type { Clock } from '@machinist/core/clock'
import type { Authorizer } from '../authorization/authorizer.ts'
import { StatusError } from '../status/status-error.ts'
import type { UserInfo } from '../identity/user-info.ts'
import { anonymous } from '../identity/user-info.ts'
import type { HeaderLists } from './bearer-token.ts'
import { bearerToken } from './bearer-token.ts'
import type { FindBootstrapSecret } from './bootstrap-tokens.ts'
import { bootstrapUser } from './bootstrap-tokens.ts'
import { certificateUser } from './client-certificate.ts'
import { impersonate } from './impersonation.ts'
import type { ServiceAccountTokens } from './service-account-tokens.ts'
import type { StaticTokens } from './static-tokens.ts'

/** The credentials of a request. */
export interface Credentials {
  /** The client certificate of the TLS handshake, trusted or not. */
  readonly peerCertificate?: X509Certificate
  /** Intermediate certificates that the client sent. */
  readonly intermediates?: readonly X509Certificate[]
  readonly headers: HeaderLists
}

export interface AuthenticatorSettings {
  /** CAs of client certificates; read for each request, so that they can rotate. */
  readonly clientAuthorities: () => readonly X509Certificate[]
  readonly staticTokens: StaticTokens
  readonly accountTokens: ServiceAccountTokens
  /** Looks up bootstrap tokens; without it there are none. */
  readonly findBootstrapSecret?: FindBootstrapSecret
  readonly authorizer: Authorizer
  readonly clock: Clock
}

export interface IdentifiedToken {
  readonly user?: UserInfo
  readonly audiences?: readonly string[]
  /** Why a token of this server's form is rejected. */
  readonly problem?: string
}

/** Authenticates a request: by client certificate, else by token, else as anonymous. */
export class Authenticator {
  readonly #settings: AuthenticatorSettings

  constructor(settings: AuthenticatorSettings) {
    this.#settings = settings
  }

  /** Anonymous requests pass: the authorizer decides. Invalid credentials are rejected, never ignored. */
  authenticate(credentials: Credentials): UserInfo | StatusError {
    const user = this.#own(credentials)
    if (user instanceof StatusError) return user
    return impersonate(user, credentials.headers, this.#settings.authorizer)
  }

  /** The user of a token for these audiences; the server's own audiences if none are given. */
  identify(token: string, requestedAudiences: readonly string[] = []): IdentifiedToken {
    const { staticTokens, accountTokens, findBootstrapSecret, clock } = this.#settings
    const audiences = requestedAudiences.length > 0 ? requestedAudiences : accountTokens.audiences
    const user =
      staticTokens.find(token) ??
      (findBootstrapSecret && bootstrapUser(token, findBootstrapSecret, clock.now()))
    if (user) {
      // A token without audiences is for this server only.
      const shared = audiences.filter((audience) => accountTokens.audiences.includes(audience))
      return shared.length > 0 ? { user, audiences: shared } : {}
    }
    return accountTokens.verify(token, audiences) ?? {}
  }

  #own({ peerCertificate, intermediates, headers }: Credentials): UserInfo | StatusError {
    const { clientAuthorities, clock } = this.#settings
    const proven =
      peerCertificate &&
      certificateUser(peerCertificate, clientAuthorities(), clock.now(), intermediates)
    if (proven) return proven
    const token = bearerToken(headers)
    if (token === undefined) return peerCertificate ? unauthorized() : anonymous
    return this.identify(token).user ?? unauthorized()
  }
}

const unauthorized = (): StatusError => new StatusError(401, 'Unauthorized', 'Unauthorized')
