import { Refusal } from '../refusal.ts'
import type { AdmissionRequest } from './admission-request.ts'
import type { Objection } from './decisions.ts'

const codes: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
  Invalid: 422,
}

/** The refusal that says which policy said no and why. */
export function denial(
  { kind, name }: AdmissionRequest,
  policy: string,
  binding: string | undefined,
  { message, reason }: Objection,
): Refusal {
  const through = binding === undefined ? '' : ` with binding '${binding}'`
  const said = `ValidatingAdmissionPolicy '${policy}'${through} denied request: ${message}`
  const { group, plural } = kind
  const resource = group === '' ? plural : `${plural}.${group}`
  const shown = name || 'Unknown'
  return new Refusal(
    codes[reason] ?? 422,
    reason,
    `${resource} ${JSON.stringify(shown)} is forbidden: ${said}`,
    { name: shown, ...(group !== '' && { group }), kind: plural, causes: [{ message: said }] },
  )
}
