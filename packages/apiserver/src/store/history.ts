import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { Store } from './store.ts'

/** Retention of history. Current objects are always kept. */
export interface HistoryPolicy {
  /** Minimum age of removed history (and half of its maximum); default: 5 minutes. */
  readonly keepMs?: number
  /** Approximate maximum number of changes, regardless of age; default: 100,000. */
  readonly keepRevisions?: number
}

export interface HistoryOptions {
  readonly clock: Clock
  readonly log: Logger
  readonly policy: HistoryPolicy | undefined
}

type Kept = Pick<Store, 'revision' | 'oldest' | 'subscribe' | 'compact'>

/** Compacts the store periodically. Returns a function that stops it. */
export function compactHistory(store: Kept, { clock, log, policy }: HistoryOptions): () => void {
  const { keepMs = 300_000, keepRevisions = 100_000 } = policy ?? {}
  let atLastLook = store.oldest
  let compacting = false
  let stopped = false

  const compact = (revision: number): void => {
    if (compacting || stopped || revision <= store.oldest) return
    compacting = true
    store
      .compact(revision)
      .catch((error: unknown) => log.error('compaction failed', error, { revision }))
      .finally(() => {
        compacting = false
        trimBurst()
      })
  }
  /** Bursts are trimmed before the next interval; the slack keeps compactions rare. */
  const trimBurst = (): void => {
    if (store.revision - store.oldest >= 2 * keepRevisions) compact(store.revision - keepRevisions)
  }
  const look = (): void => {
    cancel = clock.after(keepMs, look)
    compact(Math.max(atLastLook, store.revision - keepRevisions))
    atLastLook = store.revision
  }
  let cancel = clock.after(keepMs, look)
  const unsubscribe = store.subscribe(trimBurst)
  return () => {
    stopped = true
    cancel()
    unsubscribe()
  }
}
