/*
 * How a daemon reports drift in the `reason` of its Node: the text that MCO's daemons write, so that programs recognize both.
 */

const prefix = 'unexpected on-disk state validating against '

/** `differences`: what differs, as one line. */
export function driftReason(config: string, differences: string): string {
  return `${prefix}${config}: ${differences}`
}

export interface Drift {
  /** The configuration that the disk differs from. */
  readonly config: string
  readonly differences: string
}

/** What such a reason says; undefined for any other reason. */
export function driftIn(reason: string | undefined): Drift | undefined {
  if (!reason?.startsWith(prefix)) return undefined
  const rest = reason.slice(prefix.length)
  const end = rest.indexOf(': ')
  return end < 0 ? undefined : { config: rest.slice(0, end), differences: rest.slice(end + 2) }
}
