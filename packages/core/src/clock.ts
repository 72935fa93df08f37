/** Time comes in through this interface, so that tests and simulated worlds can own it. */
export interface Clock {
  /** Milliseconds since the epoch. May jump, like the machine's wall clock. */
  now(): number
  /** Milliseconds that only ever grow; for measuring how long something took. */
  elapsed(): number
  /** Calls `task` once after `ms`. The answer cancels it; a pending task never keeps a process alive by itself. */
  after(ms: number, task: () => void): Cancel
}

export type Cancel = () => void

export const systemClock: Clock = {
  now: () => Date.now(),
  // Not performance.now(): the first look at `performance` loads a dozen modules, on every node.
  elapsed: () => Number(process.hrtime.bigint()) / 1e6,
  after(ms, task) {
    const timer = setTimeout(task, Math.min(Math.max(ms, 0), longestTimer))
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** Beyond this, setTimeout fires at once. A caller that waits for weeks looks again when woken early. */
const longestTimer = 2 ** 31 - 1

/** Keeps this process alive although it only waits, until the answer is called. */
export function stayAwake(): Cancel {
  const timer = setInterval(() => {}, longestTimer)
  return () => clearInterval(timer)
}

/** Resolves after `ms`, or as soon as `signal` aborts: a sleeper looks at its signal, it is not thrown at. */
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
