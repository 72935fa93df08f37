import type { Clock } from '@machinist/core/clock'

/** Nothing came within the time that even a slow server needs. */
export class NoAnswer extends Error {
  constructor(what: string, ms: number) {
    super(`${what} was not over after ${Math.round(ms / 1000)} s`)
    this.name = 'NoAnswer'
  }
}

/**
 * Runs `work` with a signal that also aborts after `ms`. A last resort: whatever a connection does or fails to notice,
 * the caller gets its turn again.
 */
export async function withPatience<V>(
  clock: Clock,
  ms: number,
  what: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<V>,
): Promise<V> {
  const patience = new AbortController()
  const end = new NoAnswer(what, ms)
  const stop = (): void => patience.abort(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const cancel = clock.after(ms, () => patience.abort(end))
  try {
    const value = await work(patience.signal)
    if (patience.signal.reason === end) throw end
    return value
  } catch (error) {
    throw patience.signal.reason === end ? end : error
  } finally {
    cancel()
    signal.removeEventListener('abort', stop)
  }
}
