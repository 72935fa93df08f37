import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'

export interface Heap {
  /** Allocated bytes, including garbage. */
  used(): number
  collect(): void
}

/** The heap of this process, if Node was started with `--expose-gc`. */
export function ownHeap(): Heap | undefined {
  const { gc } = globalThis
  if (!gc) return undefined
  return {
    used: () => {
      const { heapUsed, external } = process.memoryUsage()
      return heapUsed + external
    },
    collect: () => gc({ type: 'major', flavor: 'last-resort', execution: 'sync' }),
  }
}

export interface IdleThresholds {
  /** A process that allocates more than this between two checks is not idle. */
  readonly stillBytes: number
  /** Minimum garbage for a collection. */
  readonly worthBytes: number
}

/** The daemon idles for days on a small heap. */
export const daemonIdle: IdleThresholds = { stillBytes: 200_000, worthBytes: 1_000_000 }

/** Components receive the heartbeats of every node even when they are idle. */
export const componentIdle: IdleThresholds = { stillBytes: 2_000_000, worthBytes: 8_000_000 }

const checkIntervalMs = 3000

/**
 * Collects garbage when the process is idle. V8 collects only when it needs memory, which may never happen in the idle days after
 * an update.
 */
export async function releaseIdleMemory(
  heap: Heap,
  clock: Clock,
  signal: AbortSignal,
  { stillBytes, worthBytes }: IdleThresholds,
): Promise<void> {
  let before = 0
  let kept = 0
  while (!signal.aborted) {
    const used = heap.used()
    const isStill = Math.abs(used - before) < stillBytes
    before = used
    if (isStill && used > kept + worthBytes) {
      heap.collect()
      before = kept = heap.used()
    }
    await sleep(clock, checkIntervalMs, signal)
  }
}
