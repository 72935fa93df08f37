import type { Clock } from '@machinist/core/clock'
import type { Journal } from '../../views/rotate/journal.ts'
import type { Progress } from '../../views/rotate/progress.ts'
import { progressOf } from '../../views/rotate/progress.ts'
import type { Sight } from './sight.ts'

export interface WatchOptions {
  readonly journal: Journal
  readonly clock: Clock
  /** Whether times that pass are looked at. */
  readonly ticks: boolean
  readonly show: (progress: Progress) => void
  readonly isOver: (progress: Progress) => boolean
}

/** Many changes come together; nobody reads faster than this. */
const calmMs = 250
const tickMs = 1000

/** Shows every change until it is over or the signal aborts. Answers the last that was seen; undefined if the object is gone. */
export function watch(
  sight: Sight,
  { journal, clock, ticks, show, isOver }: WatchOptions,
  signal: AbortSignal,
): Promise<Progress | undefined> {
  return new Promise((resolve) => {
    let isEnded = false
    let isDue = false
    const end = (last: Progress | undefined): void => {
      isEnded = true
      signal.removeEventListener('abort', stop)
      resolve(last)
    }
    const look = (): void => {
      if (isEnded) return
      isDue = false
      const facts = sight.facts()
      if (!facts) return end(undefined)
      journal.see(facts)
      const progress = progressOf(facts, journal)
      show(progress)
      if (isOver(progress) || signal.aborted) end(progress)
    }
    const stop = (): void => look()
    signal.addEventListener('abort', stop, { once: true })
    const soon = (): void => {
      if (isDue || isEnded) return
      isDue = true
      clock.after(calmMs, look)
    }
    const tick = (): void => {
      if (isEnded) return
      soon()
      clock.after(tickMs, tick)
    }
    sight.subscribe(soon)
    look()
    if (ticks) clock.after(tickMs, tick)
  })
}
