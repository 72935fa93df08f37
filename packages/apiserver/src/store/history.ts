import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { Store } from './store.ts'

/** How much of the past is kept. Objects that are there now are always kept. */
export interface HistoryPolicy {
  /** Changes are kept at least this long (and at most twice as long); 5 minutes unless told. */
  readonly keepMs?: number
  /** And no more than about this many, however young they are; 100,000 unless told. */
  readonly keepRevisions?: number
}

export interface HistoryOptions {
  readonly clock: Clock
  readonly log: Logger
  readonly policy: HistoryPolicy | undefined
}

type Kept = Pick<Store, 'revision' | 'oldest' | 'subscribe' | 'compact'>

/** Compacts a store by itself. The answer stops that. */
export function keepHistoryShort(store: Kept, { clock, log, policy }: HistoryOptions): () => void {
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
  /** A burst must not wait for the next look; the slack keeps compactions rare. */
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
