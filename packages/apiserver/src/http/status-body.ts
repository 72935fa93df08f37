import { Refusal } from '../refusal.ts'

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
