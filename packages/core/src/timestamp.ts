/** A time as Kubernetes formats it: RFC 3339 in UTC, to the second. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -'.000Z'.length)}Z`
}
