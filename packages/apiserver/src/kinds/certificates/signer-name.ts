import type { StatusCause } from '../../status/status-error.ts'
import { invalidValue, requiredValue, tooLong } from '../../status/causes.ts'
import { nameProblems } from '../../objects/names.ts'

const field = 'spec.signerName'
const longestDomain = 253
const longestName = longestDomain + 1 + (253 + 63 + 1)

/** Validates a signer name: `example.org/name`. */
export function signerNameProblems(name: string): StatusCause[] {
  if (name === '') return [requiredValue(field)]
  const [domain, path, ...more] = name.split('/')
  if (domain === undefined || path === undefined || more.length > 0) {
    const form = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
    return [invalidValue(field, name, form)]
  }
  const labels = domain.split('.')
  const lonely = 'should be a domain with at least two segments separated by dots'
  return [
    ...(domain.length > longestDomain ? [tooLong(field, longestDomain)] : []),
    ...firstProblems(domain, labels, 'label'),
    ...(labels.length < 2 ? [invalidValue(field, domain, lonely)] : []),
    ...firstProblems(path, path.split('.'), 'subdomain'),
    ...(name.length > longestName ? [tooLong(field, longestName)] : []),
  ]
}

/** The problems of the first invalid part. */
function firstProblems(
  whole: string,
  parts: readonly string[],
  rule: 'label' | 'subdomain',
): StatusCause[] {
  for (const part of parts) {
    const problems = nameProblems(part, rule)
    if (problems.length === 0) continue
    return problems.map((problem) =>
      invalidValue(field, whole, `validating label ${JSON.stringify(part)}: ${problem}`),
    )
  }
  return []
}
