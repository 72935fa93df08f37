import type { Metrics } from '@machinist/core/metrics'
import type { PinnedCounts } from './tally.ts'

export interface NodesBehind {
  /** Undefined: the pool has no pinned images. */
  set(pool: string, counts: PinnedCounts | undefined): void
  forget(pool: string): void
}

/** The metric that alerts use. */
export function nodesBehind(metrics: Metrics): NodesBehind {
  const behind = metrics.gauge({
    name: 'machinist_pinned_images_nodes_behind',
    help: 'Number of nodes in a pool without all pinned images: in progress (pending), or unable to pull them (failed).',
    labels: ['pool', 'state'],
  })
  const forget = (pool: string): void => {
    behind.forget({ pool, state: 'pending' })
    behind.forget({ pool, state: 'failed' })
  }
  return {
    set(pool, counts) {
      if (!counts) return forget(pool)
      const { machine, updated, failed } = counts
      behind.set({ pool, state: 'pending' }, machine - updated - failed)
      behind.set({ pool, state: 'failed' }, failed)
    },
    forget,
  }
}
