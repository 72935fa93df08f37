import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import { InvalidInput } from '@machinist/core/errors'

export interface Patience {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly patienceMs: number
}

const lookAgainMs = 50

/** Looks again and again until it is so; false if patience ends first. Throws when somebody ends the command. */
export async function waitFor(
  condition: () => boolean | Promise<boolean>,
  { clock, signal, patienceMs }: Patience,
): Promise<boolean> {
  const due = clock.elapsed() + patienceMs
  for (;;) {
    if (signal.aborted) throw new InvalidInput('ended before both rotations were over')
    if (await condition()) return true
    if (clock.elapsed() >= due) return false
    await sleep(clock, lookAgainMs, signal)
  }
}
