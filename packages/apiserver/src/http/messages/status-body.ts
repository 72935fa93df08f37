import { StatusError } from '../../status/status-error.ts'

export interface SuccessDetails {
  readonly name: string
  readonly group: string
  readonly kind: string
  readonly uid: string | undefined
}

/** The Status for a completed deletion. */
export function deletedBody({ name, group, kind, uid }: SuccessDetails): Record<string, unknown> {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(group === '' ? {} : { group }), kind, uid },
  }
}

export const noSuchResource = (): StatusError =>
  new StatusError(404, 'NotFound', 'the server could not find the requested resource', {})

export const methodNotAllowed = (): StatusError =>
  new StatusError(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  )
