import { setTimeout as pause } from 'node:timers/promises'
import type { VirtualClock } from '@machinist/core/virtual-clock'

/** Much longer than any condition takes on a busy machine. */
const defaultTimeoutMs = 60_000

/** Polls a condition on real time: a socket, a process, a server. */
export async function until(
  description: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = defaultTimeoutMs,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`timed out waiting until ${description}`)
    await pause(2)
  }
}

/**
 * Polls a condition and advances the virtual clock by `stepMs` in each iteration. On a busy machine virtual time passes more
 * slowly, so nothing times out that would not time out on a fast machine.
 */
export function runUntil(
  clock: VirtualClock,
  description: string,
  condition: () => boolean,
  stepMs = 50,
): Promise<void> {
  return until(description, async () => {
    if (condition()) return true
    await clock.advance(stepMs)
    return condition()
  })
}
