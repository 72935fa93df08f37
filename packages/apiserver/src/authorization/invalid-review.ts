import type { Cause } from '../refusal.ts'
import { invalid, Refusal } from '../refusal.ts'

/** Reviews have no name (and some, in the server's eyes, no kind): the details leave out what is empty. */
export function invalidReview(
  group: string,
  kind: string,
  { field, message }: Pick<Cause, 'field' | 'message'>,
): Refusal {
  const causes = [{ reason: 'FieldValueInvalid', message, field } as Cause]
  const { code, reason, message: said } = invalid({ group, resource: '', kind, name: '' }, causes)
  return new Refusal(code, reason, said, { group, ...(kind !== '' && { kind }), causes })
}
