/** The facts about a request that decide whether the client may have the config of a pool. */
export interface AccessRequest {
  readonly pool: string
  /** IP address of the client, or of the load balancer in front of the server. */
  readonly address: string
  /** The Authorization header. Secret: never part of a log line or an error. */
  readonly authorization: string | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
}

export type AccessDecision =
  | { readonly type: 'allowed' }
  | {
      readonly type: 'refused'
      readonly status: 401 | 403 | 429 | 503
      /** One word for clients and metrics: `UnknownToken`. */
      readonly reason: string
      /** Seconds. */
      readonly retryAfter?: number
    }

/** Decides about each request for a config. Asynchronous only if the decision needs a write, such as for a single-use token. */
export type Access = (request: AccessRequest) => AccessDecision | Promise<AccessDecision>

const allowed: AccessDecision = { type: 'allowed' }

/** Gives every client every config: `--open`. */
export const openAccess: Access = () => allowed
