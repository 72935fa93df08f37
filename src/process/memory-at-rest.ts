import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'

export interface Heap {
  /** Bytes that are taken, by what is needed and by what is not. */
  used(): number
  collect(): void
}

/** This process's own, if Node was started with `--expose-gc`. */
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

export interface Rest {
  /** A process that allocates more than this between two looks is at work. */
  readonly stillBytes: number
  /** Less than this is not worth a collection. */
  readonly worthBytes: number
}

/** The daemon idles for days on a small heap. */
export const daemonRest: Rest = { stillBytes: 200_000, worthBytes: 1_000_000 }

/** Components see the heartbeats of every node even when they have nothing to do. */
export const componentRest: Rest = { stillBytes: 2_000_000, worthBytes: 8_000_000 }

const lookEveryMs = 3000

/**
 * Gives memory back when the process has come to rest. By itself, V8 collects when it needs room: after an update that is
 * followed by days of waiting, never.
 */
export async function giveMemoryBack(
  heap: Heap,
  clock: Clock,
  signal: AbortSignal,
  { stillBytes, worthBytes }: Rest,
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
    await sleep(clock, lookEveryMs, signal)
  }
}
