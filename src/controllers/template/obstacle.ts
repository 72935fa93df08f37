import { ApiFailure, ConnectionFailure } from '@machinist/kube/failure'

/**
 * What is in the way, for everybody to read: an answer of the API server may quote what it was sent, so only its code and
 * what was asked are told.
 */
export function obstacleOf(error: unknown): string {
  if (error instanceof ApiFailure) {
    return `the API server answered ${error.code} to ${asked(error)}`
  }
  if (error instanceof ConnectionFailure) return `no answer from the API server to ${asked(error)}`
  return 'something unexpected, which the log tells'
}

const asked = ({ asked: { method, path } }: ApiFailure | ConnectionFailure): string =>
  `${method} ${path.split('?')[0]}`
