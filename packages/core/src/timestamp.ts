/** As Kubernetes writes times: to the second. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -'.000Z'.length)}Z`
}
