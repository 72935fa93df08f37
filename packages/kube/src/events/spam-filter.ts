import { RecentMap } from './recent-map.ts'

interface Bucket {
  tokens: number
  filledAt: number
}

const burst = 25
const refillMs = 300_000

/** Lets 25 events through per key, and one more every five minutes: what is always unwell must not flood the API. */
export class SpamFilter {
  readonly #buckets: RecentMap<Bucket>

  constructor(keys: number) {
    this.#buckets = new RecentMap(keys)
  }

  /** Whether one more may pass at this elapsed time. */
  pass(key: string, elapsed: number): boolean {
    const bucket = this.#buckets.use(key, () => ({ tokens: burst, filledAt: elapsed }))
    const filled = bucket.tokens + (elapsed - bucket.filledAt) / refillMs
    bucket.tokens = Math.min(filled, burst)
    bucket.filledAt = elapsed
    if (bucket.tokens < 1) return false
    bucket.tokens -= 1
    return true
  }
}
