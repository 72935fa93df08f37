import { LruMap } from './lru-map.ts'

interface Bucket {
  tokens: number
  filledAt: number
}

const burst = 25
const refillMs = 300_000

/** Token bucket: 25 events for each key, plus one every five minutes. A permanent failure must not flood the API server. */
export class SpamFilter {
  readonly #buckets: LruMap<Bucket>

  constructor(keys: number) {
    this.#buckets = new LruMap(keys)
  }

  /** Whether one more event may be sent at this elapsed time. */
  pass(key: string, elapsed: number): boolean {
    const bucket = this.#buckets.getOrCreate(key, () => ({ tokens: burst, filledAt: elapsed }))
    const filled = bucket.tokens + (elapsed - bucket.filledAt) / refillMs
    bucket.tokens = Math.min(filled, burst)
    bucket.filledAt = elapsed
    if (bucket.tokens < 1) return false
    bucket.tokens -= 1
    return true
  }
}
