import { isProgrammingError, messageOf, Transient } from '@machinist/core/errors'
import { ApiFailure, describeRefusal } from '@machinist/kube/failure'

/** Drops the message of the server, which may quote the sent object with its credentials. */
export function toTransient(what: string, error: unknown): unknown {
  if (!(error instanceof ApiFailure)) return error
  return new Transient(error.reason || 'Refused', describeRefusal(what, error))
}

/** Retries back off, but not beyond the next time at which the decision may change. */
export function unfinished(failure: unknown, withinMs: number | undefined): Error {
  if (isProgrammingError(failure)) return failure
  const reason = failure instanceof Transient ? failure.reason : 'Unfinished'
  return new Transient(reason, messageOf(failure), { cause: failure, withinMs })
}
