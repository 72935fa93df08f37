import { StatusError } from '../status/status-error.ts'
import type { AdmissionRequest } from './admission-request.ts'
import type { PolicyFailure } from './decisions.ts'

const codes: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
  Invalid: 422,
}

/** The error that names the policy, the binding and the message. */
export function denialError(
  { kind, name }: AdmissionRequest,
  policy: string,
  binding: string | undefined,
  { message, reason }: PolicyFailure,
): StatusError {
  const through = binding === undefined ? '' : ` with binding '${binding}'`
  const text = `ValidatingAdmissionPolicy '${policy}'${through} denied request: ${message}`
  const { group, plural } = kind
  const resource = group === '' ? plural : `${plural}.${group}`
  const printedName = name || 'Unknown'
  return new StatusError(
    codes[reason] ?? 422,
    reason,
    `${resource} ${JSON.stringify(printedName)} is forbidden: ${text}`,
    {
      name: printedName,
      ...(group !== '' && { group }),
      kind: plural,
      causes: [{ message: text }],
    },
  )
}
