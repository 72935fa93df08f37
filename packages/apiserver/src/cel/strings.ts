import { quoted } from '../go/quoted-text.ts'
import type { Pattern } from '../schema/structure/pattern.ts'
import { compilePattern, patternProblem } from '../schema/structure/pattern.ts'
import type { Registrar, Values } from './library.ts'
import { registerNamespace } from './namespace.ts'

/** String functions: find, findAll, replace, charAt, format, strings.quote; `matches` with RE2 patterns. */
export function registerStrings(to: Registrar, { fail }: Values): void {
  const pattern = (text: string): Pattern => {
    const problem = patternProblem(text)
    if (problem !== undefined) throw fail(problem)
    return compilePattern(text)
  }
  to.registerFunction('string.matchesPattern(string): bool', (text: string, regex: string) =>
    pattern(regex).test(text),
  )
  to.registerFunction(
    'string.find(string): string',
    (text: string, regex: string) => pattern(regex).find(text) ?? '',
  )
  to.registerFunction('string.findAll(string): list<string>', (text: string, regex: string) =>
    pattern(regex).findAll(text),
  )
  to.registerFunction(
    'string.findAll(string, int): list<string>',
    (text: string, regex: string, limit: bigint) => {
      const found = pattern(regex).findAll(text)
      return limit < 0n ? found : found.slice(0, Number(limit))
    },
  )
  to.registerFunction(
    'string.replace(string, string): string',
    (text: string, from: string, by: string) => text.replaceAll(from, () => by),
  )
  to.registerFunction(
    'string.replace(string, string, int): string',
    (text: string, from: string, by: string, limit: bigint) => {
      let left = limit < 0n ? Infinity : Number(limit)
      return text.replaceAll(from, (found) => (left-- > 0 ? by : found))
    },
  )
  to.registerFunction('string.charAt(int): string', (text: string, at: bigint) => {
    const characters = Array.from(text)
    if (at < 0n || at > characters.length) throw fail(`index out of range: ${at}`)
    return characters[Number(at)] ?? ''
  })
  to.registerFunction('string.format(list): string', (text: string, args: readonly unknown[]) =>
    formatted(text, args, fail),
  )
  registerNamespace(to, 'strings')
  to.registerFunction('StringsNamespace.quote(string): string', (_: unknown, text: string) =>
    quoted(text),
  )
}

function formatted(text: string, args: readonly unknown[], fail: Values['fail']): string {
  let next = 0
  return text.replaceAll(/%(?:\.(\d+))?([a-zA-Z%])/g, (_, digits: string | undefined, verb) => {
    if (verb === '%') return '%'
    if (next >= args.length) throw fail(`index ${next} out of range`)
    const value = args[next++]
    const precision = digits === undefined ? 6 : Math.min(Number(digits), 100)
    if (verb === 's') return textOf(value)
    if (verb === 'd') return textOf(value)
    if (verb === 'f') return Number(value).toFixed(precision)
    if (verb === 'e') return Number(value).toExponential(precision)
    const base = bases[String(verb).toLowerCase()]
    if (base === undefined || typeof value !== 'bigint') {
      throw fail(`could not parse formatting clause: unrecognized formatting clause "${verb}"`)
    }
    return verb === 'X' ? value.toString(base).toUpperCase() : value.toString(base)
  })
}

const bases: Readonly<Record<string, number>> = { b: 2, o: 8, x: 16 }

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null) return 'null'
  if (Array.isArray(value)) return `[${value.map((item) => textOf(item)).join(', ')}]`
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z')
  if (typeof value !== 'object') return `${value as bigint | boolean | number}`
  const members = Object.entries(value).map(([key, of]) => `${key}: ${textOf(of)}`)
  return `{${members.sort().join(', ')}}`
}
