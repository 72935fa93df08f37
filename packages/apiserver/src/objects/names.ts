import type { NameRule } from '../kinds/kind-rules.ts'
import type { StatusCause } from '../status/status-error.ts'
import { invalidValue } from '../status/causes.ts'

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const subdomain = `${label}(\\.${label})*`
const serviceName = '[a-z]([-a-z0-9]*[a-z0-9])?'

interface Format {
  readonly matches: RegExp
  readonly maxLength: number
  readonly message: string
}

const formats: Record<Exclude<NameRule, 'path-segment'>, Format> = {
  subdomain: {
    matches: new RegExp(`^${subdomain}$`),
    maxLength: 253,
    message:
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and " +
      `end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${subdomain}')`,
  },
  label: {
    matches: new RegExp(`^${label}$`),
    maxLength: 63,
    message:
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an " +
      `alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${label}')`,
  },
  service: {
    matches: new RegExp(`^${serviceName}$`),
    maxLength: 63,
    message:
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and " +
      `end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '${serviceName}')`,
  },
}

/** Validates an object's name; returns Kubernetes' messages. */
export function nameProblems(name: string, rule: NameRule = 'subdomain'): string[] {
  if (rule === 'path-segment') return segmentProblems(name)
  const { matches, maxLength, message } = formats[rule]
  const problems: string[] = []
  if (name.length > maxLength) problems.push(`must be no more than ${maxLength} characters`)
  if (!matches.test(name)) {
    const onlyDots = rule === 'label' && formats.subdomain.matches.test(name)
    problems.push(onlyDots ? 'must not contain dots' : message)
  }
  return problems
}

/** Validates a generateName prefix, which may end with a hyphen. */
export function prefixProblems(prefix: string, rule?: NameRule): string[] {
  return nameProblems(prefix.replace(/.-$/s, 'a'), rule)
}

function segmentProblems(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`]
  return ['/', '%'].filter((char) => name.includes(char)).map((char) => `may not contain '${char}'`)
}

const qualifiedName =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const plainName = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/

/** Validates the key of a label or annotation, or the name of a finalizer. */
export function qualifiedNameProblems(key: string): string[] {
  const parts = key.split('/')
  if (parts.length > 2) {
    return [
      "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
        "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
        "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ]
  }
  const name = parts.pop()!
  const problems = parts.flatMap((prefix) =>
    prefix === ''
      ? ['prefix part must be non-empty']
      : nameProblems(prefix).map((problem) => `prefix part ${problem}`),
  )
  if (name === '') problems.push('name part must be non-empty')
  else if (name.length > 63) problems.push('name part must be no more than 63 characters')
  if (!plainName.test(name)) problems.push(qualifiedName)
  return problems
}

const labelValue =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end " +
  "with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is " +
  "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

export function labelValueProblems(value: string): string[] {
  const problems = value.length > 63 ? ['must be no more than 63 characters'] : []
  if (value !== '' && !plainName.test(value)) problems.push(labelValue)
  return problems
}

/** Validates labels of an object or of a selector. */
export function labelProblems(
  field: string,
  labels: Readonly<Record<string, unknown>>,
): StatusCause[] {
  const causes: StatusCause[] = []
  for (const [key, given] of Object.entries(labels)) {
    const value = typeof given === 'string' ? given : ''
    for (const problem of qualifiedNameProblems(key)) causes.push(invalidValue(field, key, problem))
    for (const problem of labelValueProblems(value))
      causes.push(invalidValue(field, value, problem))
  }
  return causes
}
