import type { StatusCause } from '../status/status-error.ts'
import { invalid, StatusError } from '../status/status-error.ts'

/** Reviews have no name, and some have no kind in kube-apiserver's errors: empty details are left out. */
export function invalidReview(
  group: string,
  kind: string,
  { field, message }: Pick<StatusCause, 'field' | 'message'>,
): StatusError {
  const causes = [{ reason: 'FieldValueInvalid', message, field } as StatusCause]
  const { code, reason, message: text } = invalid({ group, resource: '', kind, name: '' }, causes)
  return new StatusError(code, reason, text, { group, ...(kind !== '' && { kind }), causes })
}
