/**
 * Durations in the API: hours, minutes and seconds, each at most once and in this order, such as `8760h` or `1h30m`. Limited to
 * about a century, so that they fit into Kubernetes' nanoseconds and the four-digit years of certificates.
 */
export const durationPattern = '^([0-9]{1,6}h)?([0-9]{1,7}m)?([0-9]{1,9}s)?$'

const duration = new RegExp(durationPattern)

const units = { h: 3_600_000, m: 60_000, s: 1000 } as const

/** The duration in milliseconds; undefined if the text is not a duration. */
export function readDuration(text: string): number | undefined {
  if (text === '' || !duration.test(text)) return undefined
  const parts = [...text.matchAll(/(\d+)([hms])/gy)]
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * units[unit as 'h'], 0)
}
