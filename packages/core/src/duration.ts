/**
 * As the API writes durations: hours, minutes and seconds, each at most once and in this order, like `8760h` or `1h30m`. Not
 * much longer than a century, so that Kubernetes' nanoseconds and a certificate's four-digit years have room for it.
 */
export const durationPattern = '^([0-9]{1,6}h)?([0-9]{1,7}m)?([0-9]{1,9}s)?$'

const duration = new RegExp(durationPattern)

const units = { h: 3_600_000, m: 60_000, s: 1000 } as const

/** In milliseconds; undefined if this is no such text. */
export function readDuration(text: string): number | undefined {
  if (text === '' || !duration.test(text)) return undefined
  const parts = [...text.matchAll(/(\d+)([hms])/gy)]
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * units[unit as 'h'], 0)
}
