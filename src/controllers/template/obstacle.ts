import { ApiFailure, ConnectionFailure } from '@machinist/kube/failure'

/**
 * Describes a failure for a condition. A response of the API server may quote secrets of the request, so only its code and the
 * request line are included.
 */
export function describeObstacle(error: unknown): string {
  if (error instanceof ApiFailure) {
    return `the API server answered ${error.code} to ${requestText(error)}`
  }
  if (error instanceof ConnectionFailure)
    return `no response from the API server to ${requestText(error)}`
  return 'an unexpected error; see the log'
}

const requestText = ({ request: { method, path } }: ApiFailure | ConnectionFailure): string =>
  `${method} ${path.split('?')[0]}`
