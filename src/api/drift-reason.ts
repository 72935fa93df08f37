/*
 * The text with which daemons report drift in the `reason` annotation. It is the text of MCO's daemons, so that programs
 * recognize both.
 */

const prefix = 'unexpected on-disk state validating against '

/** `differences` is a single line. */
export function driftReason(config: string, differences: string): string {
  return `${prefix}${config}: ${differences}`
}

export interface Drift {
  /** The config that the disk differs from. */
  readonly config: string
  readonly differences: string
}

/** Parses such a reason; undefined for any other reason. */
export function driftIn(reason: string | undefined): Drift | undefined {
  if (!reason?.startsWith(prefix)) return undefined
  const rest = reason.slice(prefix.length)
  const end = rest.indexOf(': ')
  return end < 0 ? undefined : { config: rest.slice(0, end), differences: rest.slice(end + 2) }
}
