/** A time as Kubernetes formats it: RFC 3339 in UTC, to the second. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -'.000Z'.length)}Z`
}

const pattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

/** The time in milliseconds since the epoch; undefined if the text is not RFC 3339. */
export function readTimestamp(text: string): number | undefined {
  const ms = pattern.test(text) ? Date.parse(text) : Number.NaN
  return Number.isFinite(ms) ? ms : undefined
}
