import { ApiFailure, ConnectionFailure, isExpired, UnreadableEvent } from '../failure.ts'
import { DeadlineExceeded } from '../deadline.ts'

type FailureReason =
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

/** The class of a failed list or watch, and the next step. */
export interface ReflectorFailure {
  readonly reason: FailureReason
  /** Resume the watch from the last version, or list again. Both are complete; a list costs more. */
  readonly next: 'resume' | 'relist'
  /** The delay that the server requires; the back-off may be longer. */
  readonly atLeastMs: number
}

export function classifyFailure(error: unknown): ReflectorFailure {
  if (error instanceof UnreadableEvent) return reflectorFailure('unreadable-event', 'relist')
  if (error instanceof ConnectionFailure || error instanceof DeadlineExceeded) {
    return reflectorFailure('connection', 'resume')
  }
  if (isExpired(error)) return reflectorFailure('expired', 'relist', error.retryAfterMs)
  if (!(error instanceof ApiFailure)) return reflectorFailure('unexpected', 'relist')
  const atLeastMs = error.retryAfterMs
  if (isVersionUnknown(error)) return reflectorFailure('version-unknown', 'relist', atLeastMs)
  if (error.code === 429) return reflectorFailure('too-many-requests', 'resume', atLeastMs)
  if (error.code >= 500) return reflectorFailure('server-error', 'resume', atLeastMs)
  // An expired token or a missing permission does not invalidate the version.
  if (error.code === 401 || error.code === 403)
    return reflectorFailure('not-allowed', 'resume', atLeastMs)
  return reflectorFailure('refused', 'relist', atLeastMs)
}

/** Backs off from a server that closes watches immediately, to avoid a tight loop. */
export const shortWatch: ReflectorFailure = reflectorFailure('short-watch', 'resume')

/** The version is newer than the server: etcd was restored from a backup. */
function isVersionUnknown(error: ApiFailure): boolean {
  return (
    error.code === 504 && error.causes.some((cause) => cause.reason === 'ResourceVersionTooLarge')
  )
}

function reflectorFailure(
  reason: FailureReason,
  next: ReflectorFailure['next'],
  atLeastMs = 0,
): ReflectorFailure {
  return { reason, next, atLeastMs }
}
