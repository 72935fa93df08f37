import type { Clock } from '@machinist/core/clock'
import { sha256Hex } from '@machinist/core/encoding/digest'
import type { Logger } from '@machinist/core/log'
import type { KubeClient } from '../client/client.ts'
import { withoutServerMessage } from '../failure.ts'
import type { TokenReview } from '../kinds/authentication.ts'
import { tokenReviews } from '../kinds/authentication.ts'
import { subjectAccessReviews } from '../kinds/authorization.ts'

export interface ReadAccessOptions {
  readonly api: Pick<KubeClient, 'create'>
  readonly clock: Clock
  readonly log: Logger
}

/**
 * `unknown`: the token does not belong to a user. `busy`: too many unknown tokens. `unclear`: the API server is not available.
 * Callers retry after `busy` and `unclear`.
 */
export type AccessDecision = 'allowed' | 'unknown' | 'forbidden' | 'busy' | 'unclear'

/** How long a decision is cached. A revoked permission stays effective for a minute, which is acceptable for metrics. */
const decisionTtlMs = { allowed: 60_000, refused: 10_000 }
/** Metrics matter most while the API server is unavailable: the last positive decision stays valid for this long. */
const graceMs = 15 * 60_000
/** A check makes two requests, and the scrape timeout of Prometheus is ten seconds. */
const reviewTimeoutMs = 4000
const maxCachedDecisions = 64
/** Limits reviews of unknown tokens, so that token guessing does not load the API server from every node. */
const maxUnknownTokensPerMinute = 30
/** Limit for each client address, so that one client does not block another client with a new token. */
const maxUnknownTokensPerAddress = 10

interface Review {
  readonly decision: AccessDecision
  /** Elapsed time of the last positive decision. */
  readonly allowedAt?: number | undefined
}

interface CachedDecision {
  readonly review: Promise<Review>
  /** Elapsed time until which the decision is valid. */
  until: number
  allowedAt: number | undefined
}

/** Delegates authentication and authorization of read requests to the cluster: TokenReview, then SubjectAccessReview. */
export class ReadAccess {
  readonly #options: ReadAccessOptions
  readonly #decisions = new Map<string, CachedDecision>()
  #unknownTokens: string[] = []
  #windowStart = 0

  constructor(options: ReadAccessOptions) {
    this.#options = options
  }

  /** Whether the token may GET the path. `address` is the client address. */
  async mayGet(path: string, token: string, address: string): Promise<AccessDecision> {
    const now = this.#options.clock.elapsed()
    // Do not keep the token itself in memory.
    const key = sha256Hex(`${path}\n${token}`)
    const cached = this.#decisions.get(key)
    if (cached && now < cached.until) return (await cached.review).decision
    const allowedAt = cached?.allowedAt
    if (allowedAt === undefined && !this.#admitUnknownToken(now, address)) return 'busy'
    const pending: CachedDecision = {
      review: this.#review(path, token, allowedAt),
      until: Infinity,
      allowedAt,
    }
    this.#cache(key, pending)
    const review = await pending.review
    this.#complete(key, pending, review)
    return review.decision
  }

  #admitUnknownToken(now: number, address: string): boolean {
    if (now - this.#windowStart >= 60_000) {
      this.#windowStart = now
      this.#unknownTokens = []
    }
    if (this.#unknownTokens.length >= maxUnknownTokensPerMinute) return false
    if (this.#unknownTokens.filter((each) => each === address).length >= maxUnknownTokensPerAddress)
      return false
    this.#unknownTokens.push(address)
    return true
  }

  #cache(key: string, cached: CachedDecision): void {
    this.#decisions.delete(key)
    this.#decisions.set(key, cached)
    if (this.#decisions.size <= maxCachedDecisions) return
    // Evict negative decisions first.
    const all = [...this.#decisions]
    const [oldest] = all.find(([, { allowedAt }]) => allowedAt === undefined) ?? all[0]!
    this.#decisions.delete(oldest)
  }

  #complete(key: string, cached: CachedDecision, { decision, allowedAt }: Review): void {
    if (decision === 'unclear') return void this.#decisions.delete(key)
    cached.allowedAt = allowedAt
    const ms = decision === 'allowed' ? decisionTtlMs.allowed : decisionTtlMs.refused
    cached.until = this.#options.clock.elapsed() + ms
  }

  async #review(path: string, token: string, allowedAt: number | undefined): Promise<Review> {
    const decision = await this.#requestDecision(path, token)
    const now = this.#options.clock.elapsed()
    if (decision === 'allowed') return { decision, allowedAt: now }
    const isInGrace = decision === 'unclear' && allowedAt !== undefined && now - allowedAt < graceMs
    return isInGrace ? { decision: 'allowed', allowedAt } : { decision }
  }

  async #requestDecision(path: string, token: string): Promise<AccessDecision> {
    const { api, log } = this.#options
    const call = { timeoutMs: reviewTimeoutMs }
    try {
      const review: TokenReview = { metadata: { name: '' }, spec: { token } }
      const { status } = await api.create(tokenReviews, review, call)
      if (!status?.authenticated || !status.user?.username) return 'unknown'
      const { username: user, uid, groups, extra } = status.user
      const nonResourceAttributes = { verb: 'get', path }
      const spec = { user, uid, groups, extra, nonResourceAttributes }
      const access = await api.create(subjectAccessReviews, { metadata: { name: '' }, spec }, call)
      return access.status?.allowed ? 'allowed' : 'forbidden'
    } catch (error) {
      // The message of the server may quote the token.
      log.error('cannot check read access', withoutServerMessage(error), { path })
      return 'unclear'
    }
  }
}
