/** The signal came: stop here, nothing is lost. */
export class Parked extends Error {}

export function parkIf(signal: AbortSignal): void {
  if (signal.aborted) throw new Parked('parked')
}
