import { Refusal } from '../refusal.ts'

/** The `Status` object that tells a client why not. */
export function statusBody(refusal: Refusal): Record<string, unknown> {
  const { code, reason, message, details } = refusal
  // An expired list says how to go on.
  const metadata = 'continueToken' in refusal ? { continue: refusal.continueToken } : {}
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

export interface SuccessDetails {
  readonly name: string
  readonly group: string
  readonly kind: string
  readonly uid: string | undefined
}

/** The answer to a deletion that left nothing. */
export function deletedBody({ name, group, kind, uid }: SuccessDetails): Record<string, unknown> {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(group === '' ? {} : { group }), kind, uid },
  }
}

export const noSuchResource = (): Refusal =>
  new Refusal(404, 'NotFound', 'the server could not find the requested resource', {})

export const methodNotAllowed = (): Refusal =>
  new Refusal(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  )

function withoutEmptyName<Details extends { name?: string }>(details: Details): Details {
  const { name, ...rest } = details
  return (name === '' || name === undefined ? rest : { name, ...rest }) as Details
}
