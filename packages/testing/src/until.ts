import { setTimeout as pause } from 'node:timers/promises'
import type { VirtualClock } from '@machinist/core/virtual-clock'

/** Far beyond what any condition takes on a busy machine: reaching it means that it will never hold. */
const usualPatienceMs = 60_000

/** Waits for something that the outside world does: a socket, a process, a server. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  patienceMs = usualPatienceMs,
): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`)
    await pause(2)
  }
}

/**
 * Waits while virtual time passes too: `stepMs` of it for every moment that real sockets get. A busy machine makes the
 * virtual time pass more slowly, so nothing times out that would not have timed out on a quick one.
 */
export function runUntil(
  clock: VirtualClock,
  what: string,
  condition: () => boolean,
  stepMs = 50,
): Promise<void> {
  return until(what, async () => {
    if (condition()) return true
    await clock.advance(stepMs)
    return condition()
  })
}
