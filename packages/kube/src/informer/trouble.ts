import { ApiFailure, ConnectionFailure, isExpired, UnreadableEvent } from '../failure.ts'
import { NoAnswer } from '../patience.ts'

type TroubleReason =
  | 'expired'
  | 'version-unknown'
  | 'too-many-requests'
  | 'server-error'
  | 'connection'
  | 'unreadable-event'
  | 'not-allowed'
  | 'refused'
  | 'short-watch'
  | 'unexpected'

/** What a failed list or watch means for the next try. */
export interface Trouble {
  readonly reason: TroubleReason
  /** Resume the watch where it was, or start over with a list. Nothing is lost either way; a list costs more. */
  readonly next: 'resume' | 'relist'
  /** What the server asked for; the back-off may be longer. */
  readonly atLeastMs: number
}

export function judge(error: unknown): Trouble {
  if (error instanceof UnreadableEvent) return trouble('unreadable-event', 'relist')
  if (error instanceof ConnectionFailure || error instanceof NoAnswer) {
    return trouble('connection', 'resume')
  }
  if (isExpired(error)) return trouble('expired', 'relist', error.retryAfterMs)
  if (!(error instanceof ApiFailure)) return trouble('unexpected', 'relist')
  const atLeastMs = error.retryAfterMs
  if (isVersionUnknown(error)) return trouble('version-unknown', 'relist', atLeastMs)
  if (error.code === 429) return trouble('too-many-requests', 'resume', atLeastMs)
  if (error.code >= 500) return trouble('server-error', 'resume', atLeastMs)
  // A token that ran out or a role that is missing for a while says nothing against the version we have.
  if (error.code === 401 || error.code === 403) return trouble('not-allowed', 'resume', atLeastMs)
  return trouble('refused', 'relist', atLeastMs)
}

/** A server that closes at once and says nothing would otherwise be asked in a tight loop. */
export const shortWatch: Trouble = trouble('short-watch', 'resume')

/** Our version lies in the server's future: its history was put back, as after a restored backup. */
function isVersionUnknown(error: ApiFailure): boolean {
  return (
    error.code === 504 && error.causes.some((cause) => cause.reason === 'ResourceVersionTooLarge')
  )
}

function trouble(reason: TroubleReason, next: Trouble['next'], atLeastMs = 0): Trouble {
  return { reason, next, atLeastMs }
}
