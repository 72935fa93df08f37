import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import { InvalidInput } from '@machinist/core/errors'

export interface WaitOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

const pollIntervalMs = 50

/** Polls until the condition holds; false after the timeout. Throws if the user stops the command. */
export async function waitFor(
  condition: () => boolean | Promise<boolean>,
  { clock, signal, timeoutMs }: WaitOptions,
): Promise<boolean> {
  const due = clock.elapsed() + timeoutMs
  for (;;) {
    if (signal.aborted) throw new InvalidInput('stopped before both rotations were completed')
    if (await condition()) return true
    if (clock.elapsed() >= due) return false
    await sleep(clock, pollIntervalMs, signal)
  }
}
