import type { Refusal, RefusalDetails } from './refusal.ts'

/** The `Status` object that tells a client why not, whether as an answer or as the last event of a watch. */
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

function withoutEmptyName({ name, ...rest }: RefusalDetails): RefusalDetails {
  return name === '' || name === undefined ? rest : { name, ...rest }
}
