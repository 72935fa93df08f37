import type { StatusError, StatusDetails } from './status-error.ts'

/** The `Status` object of an error, for a response or for the last event of a watch. */
export function statusBody(error: StatusError): Record<string, unknown> {
  const { code, reason, message, details } = error
  // An expired list includes a token to continue with.
  const metadata = 'continueToken' in error ? { continue: error.continueToken } : {}
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata,
    status: 'Failure',
    message,
    ...(reason === '' ? {} : { reason }),
    ...(details === undefined ? {} : { details: withoutEmptyName(details) }),
    code,
  }
}

function withoutEmptyName({ name, ...rest }: StatusDetails): StatusDetails {
  return name === '' || name === undefined ? rest : { name, ...rest }
}
