import { LruMap } from './lru-map.ts'

export interface RateLimit {
  /** How many times a key may pass at once. */
  readonly burst: number
  /** After this time it may pass once more, up to the burst. */
  readonly refillMs: number
  /** Memory is bounded: the least recently used of more keys starts again with a full burst. */
  readonly keys: number
}

interface Bucket {
  tokens: number
  filledAt: number
}

/** Token buckets, one for each key. */
export class RateLimits {
  readonly #limit: RateLimit
  readonly #buckets: LruMap<Bucket>

  constructor(limit: RateLimit) {
    this.#limit = limit
    this.#buckets = new LruMap(limit.keys)
  }

  /** Number of remembered keys. */
  get size(): number {
    return this.#buckets.size
  }

  /** Whether the key may pass once more at this elapsed time. */
  pass(key: string, elapsed: number): boolean {
    const bucket = this.#filled(key, elapsed)
    if (bucket.tokens < 1) return false
    bucket.tokens -= 1
    return true
  }

  /** How long the key must wait until it may pass; 0 if it may pass now. */
  waitMs(key: string, elapsed: number): number {
    const missing = 1 - this.#filled(key, elapsed).tokens
    return Math.max(0, missing * this.#limit.refillMs)
  }

  #filled(key: string, elapsed: number): Bucket {
    const { burst, refillMs } = this.#limit
    const bucket = this.#buckets.getOrCreate(key, () => ({ tokens: burst, filledAt: elapsed }))
    const filled = bucket.tokens + (elapsed - bucket.filledAt) / refillMs
    bucket.tokens = Math.min(filled, burst)
    bucket.filledAt = elapsed
    return bucket
  }
}
