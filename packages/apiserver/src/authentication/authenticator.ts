import type { X509Certificate } from 'node:crypto'
import type { Clock } from '@machinist/core/clock'
import type { Authorizer } from '../authorization/authorizer.ts'
import { Refusal } from '../refusal.ts'
import type { HeaderLists } from './bearer-token.ts'
import { bearerToken } from './bearer-token.ts'
import type { FindBootstrapSecret } from './bootstrap-tokens.ts'
import { bootstrapUser } from './bootstrap-tokens.ts'
import { certificateUser } from './client-certificate.ts'
import { impersonated } from './impersonation.ts'
import type { ServiceAccountTokens } from './service-account-tokens.ts'
import type { StaticTokens } from './static-tokens.ts'
import type { UserInfo } from './user-info.ts'
import { anonymous } from './user-info.ts'

/** What a request brings to show who sends it. */
export interface Credentials {
  /** The certificate that the client proved to own in the TLS handshake, trusted or not. */
  readonly peerCertificate?: X509Certificate
  /** What it sent along, to lead from its certificate to an authority. */
  readonly intermediates?: readonly X509Certificate[]
  readonly headers: HeaderLists
}

export interface AuthenticatorSettings {
  /** Who may vouch for client certificates; asked anew for each request, so that it can be rotated. */
  readonly clientAuthorities: () => readonly X509Certificate[]
  readonly staticTokens: StaticTokens
  readonly accountTokens: ServiceAccountTokens
  /** Where tokens of joining machines are kept; without it there are none. */
  readonly findBootstrapSecret?: FindBootstrapSecret
  readonly authorizer: Authorizer
  readonly clock: Clock
}

export interface TokenFinding {
  readonly user?: UserInfo
  readonly audiences?: readonly string[]
  /** Why a token that looked like ours is not accepted. */
  readonly problem?: string
}

/** Says who sends a request: by certificate, else by token, else nobody in particular. */
export class Authenticator {
  readonly #settings: AuthenticatorSettings

  constructor(settings: AuthenticatorSettings) {
    this.#settings = settings
  }

  /** Anonymous is a user too: what it may do is for the authorizer. Credentials that fail are refused, never ignored. */
  authenticate(credentials: Credentials): UserInfo | Refusal {
    const user = this.#own(credentials)
    if (user instanceof Refusal) return user
    return impersonated(user, credentials.headers, this.#settings.authorizer)
  }

  /** Who a token stands for, for those audiences; the server's own where none are named. */
  identify(token: string, wanted: readonly string[] = []): TokenFinding {
    const { staticTokens, accountTokens, findBootstrapSecret, clock } = this.#settings
    const audiences = wanted.length > 0 ? wanted : accountTokens.audiences
    const user =
      staticTokens.find(token) ??
      (findBootstrapSecret && bootstrapUser(token, findBootstrapSecret, clock.now()))
    if (user) {
      // A token that names no audience is for this server alone.
      const shared = audiences.filter((audience) => accountTokens.audiences.includes(audience))
      return shared.length > 0 ? { user, audiences: shared } : {}
    }
    return accountTokens.verify(token, audiences) ?? {}
  }

  #own({ peerCertificate, intermediates, headers }: Credentials): UserInfo | Refusal {
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

const unauthorized = (): Refusal => new Refusal(401, 'Unauthorized', 'Unauthorized')
