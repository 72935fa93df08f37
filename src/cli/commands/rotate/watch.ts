import type { Clock } from '@machinist/core/clock'
import type { RotationJournal } from '../../../views/rotate/journal.ts'
import type { RotationProgress } from '../../../views/rotate/progress.ts'
import { progressOf } from '../../../views/rotate/progress.ts'
import type { FollowedRotation } from './follow.ts'

export interface WatchOptions {
  readonly journal: RotationJournal
  readonly clock: Clock
  /** Whether to update every second. */
  readonly ticks: boolean
  readonly show: (progress: RotationProgress) => void
  readonly isOver: (progress: RotationProgress) => boolean
}

/** Collects the changes of this time into one update. */
const debounceMs = 250
const tickMs = 1000

/** Shows every change until the rotation is over or the signal aborts. Resolves with the last progress; undefined if the object was deleted. */
export function watchRotation(
  followed: FollowedRotation,
  { journal, clock, ticks, show, isOver }: WatchOptions,
  signal: AbortSignal,
): Promise<RotationProgress | undefined> {
  return new Promise((resolve) => {
    let isEnded = false
    let isDue = false
    const end = (last: RotationProgress | undefined): void => {
      isEnded = true
      signal.removeEventListener('abort', stop)
      resolve(last)
    }
    const update = (): void => {
      if (isEnded) return
      isDue = false
      const facts = followed.facts()
      if (!facts) return end(undefined)
      journal.record(facts)
      const progress = progressOf(facts, journal)
      show(progress)
      if (isOver(progress) || signal.aborted) end(progress)
    }
    const stop = (): void => update()
    signal.addEventListener('abort', stop, { once: true })
    const schedule = (): void => {
      if (isDue || isEnded) return
      isDue = true
      clock.after(debounceMs, update)
    }
    const tick = (): void => {
      if (isEnded) return
      schedule()
      clock.after(tickMs, tick)
    }
    followed.subscribe(schedule)
    update()
    if (ticks) clock.after(tickMs, tick)
  })
}
