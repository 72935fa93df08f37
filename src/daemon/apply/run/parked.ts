/** Thrown when the signal aborts: the update stops, and `resume` continues it. */
export class Parked extends Error {}

export function parkIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new Parked('parked')
}
