/** The source of time. Tests and simulations supply their own. */
export interface Clock {
  /** Wall clock in milliseconds since the epoch. May jump. */
  now(): number
  /** Monotonic milliseconds, to measure durations. */
  elapsed(): number
  /** Calls `task` once after `ms`. Returns a function that cancels it. A pending task does not keep the process alive. */
  after(ms: number, task: () => void): Cancel
}

export type Cancel = () => void

export const systemClock: Clock = {
  now: () => Date.now(),
  // Not performance.now(): the first access to `performance` loads a dozen modules, on every node.
  elapsed: () => Number(process.hrtime.bigint()) / 1e6,
  after(ms, task) {
    const timer = setTimeout(task, Math.min(Math.max(ms, 0), maxTimerMs))
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** setTimeout fires immediately for longer delays. Callers that wait longer check the time when they wake up. */
const maxTimerMs = 2 ** 31 - 1

/** Keeps the process alive until the returned function is called. */
export function keepProcessAlive(): Cancel {
  const timer = setInterval(() => {}, maxTimerMs)
  return () => clearInterval(timer)
}

/** Resolves after `ms` or when `signal` aborts. Never rejects: the caller checks the signal. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const wake = (): void => {
      cancel()
      signal?.removeEventListener('abort', wake)
      resolve()
    }
    const cancel = clock.after(ms, wake)
    signal?.addEventListener('abort', wake, { once: true })
  })
}
