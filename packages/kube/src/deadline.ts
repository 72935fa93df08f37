import type { Clock } from '@machinist/core/clock'

/** An operation exceeded its deadline. */
export class DeadlineExceeded extends Error {
  constructor(operation: string, ms: number) {
    super(`${operation} did not finish within ${Math.round(ms / 1000)} s`)
    this.name = 'DeadlineExceeded'
  }
}

/**
 * Runs `work` with a signal that also aborts after `ms`. This is a safety net: the caller regains control even if a
 * connection hangs without an error.
 */
export async function withDeadline<V>(
  clock: Clock,
  ms: number,
  operation: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<V>,
): Promise<V> {
  const deadline = new AbortController()
  const exceeded = new DeadlineExceeded(operation, ms)
  const stop = (): void => deadline.abort(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const cancel = clock.after(ms, () => deadline.abort(exceeded))
  try {
    const value = await work(deadline.signal)
    if (deadline.signal.reason === exceeded) throw exceeded
    return value
  } catch (error) {
    throw deadline.signal.reason === exceeded ? exceeded : error
  } finally {
    cancel()
    signal.removeEventListener('abort', stop)
  }
}
