import { hasFormat } from '../schema/structure/formats.ts'
import type { Registrar, Values } from './library.ts'
import { registerNamespace } from './namespace.ts'

/** `format.dns1123Label().validate(self).hasValue()`: the errors of a string, none if it is valid. */
export function registerFormats(to: Registrar, { of, none }: Values): void {
  registerNamespace(to, 'format')
  to.registerType('kubernetes.NamedFormat', NamedFormat)
  for (const [name, check] of Object.entries(formats)) {
    const format = new NamedFormat(check)
    to.registerFunction(`FormatNamespace.${name}(): kubernetes.NamedFormat`, () => format)
  }
  to.registerFunction('FormatNamespace.named(string): optional', (_: unknown, name: string) =>
    Object.hasOwn(formats, name) ? of(new NamedFormat(formats[name]!)) : none(),
  )
  to.registerFunction(
    'kubernetes.NamedFormat.validate(string): optional',
    (format: NamedFormat, text: string) => {
      const problems = format.check(text)
      return problems.length === 0 ? none() : of(problems)
    },
  )
}

type Check = (text: string) => string[]

class NamedFormat {
  readonly check: Check
  constructor(check: Check) {
    this.check = check
  }
}

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const name = '[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?'

/** A string of limited length that matches a pattern as a whole. */
function text(what: string, pattern: string, most: number): Check {
  const whole = new RegExp(`^(${pattern})$`)
  return (given) => [
    ...(given.length > most ? [`must be no more than ${most} characters`] : []),
    ...(whole.test(given) ? [] : [`${what} must match '${pattern}'`]),
  ]
}

/** A prefix may end in a dash, since generated names continue it. */
const prefix =
  (check: Check): Check =>
  (given) =>
    check(given.endsWith('-') && given.length > 1 ? `${given.slice(0, -1)}a` : given)

const known =
  (format: string): Check =>
  (given) =>
    hasFormat(format, given) ? [] : [`must be a valid ${format}`]

const dns1123Label = text('a lowercase RFC 1123 label', label, 63)
const dns1123Subdomain = text('a lowercase RFC 1123 subdomain', `${label}(\\.${label})*`, 253)
const dns1035Label = text('a DNS-1035 label', '[a-z]([-a-z0-9]*[a-z0-9])?', 63)
const namePart = text('name part', name, 63)

const formats: Readonly<Record<string, Check>> = {
  dns1123Label,
  dns1123Subdomain,
  dns1035Label,
  dns1123LabelPrefix: prefix(dns1123Label),
  dns1123SubdomainPrefix: prefix(dns1123Subdomain),
  dns1035LabelPrefix: prefix(dns1035Label),
  labelValue: (given) => (given === '' ? [] : text('a valid label', name, 63)(given)),
  qualifiedName: (given) => {
    const [first = '', second, ...rest] = given.split('/')
    if (rest.length > 0) return ['a qualified name must have at most one slash']
    return second === undefined
      ? namePart(first)
      : [...dns1123Subdomain(first), ...namePart(second)]
  },
  uri: known('uri'),
  uuid: known('uuid'),
  byte: known('byte'),
  date: known('date'),
  datetime: known('date-time'),
}
