import { isObject } from '@machinist/core/encoding/json'

/** Finds values in an object. Throws if the path does not fit, e.g. compares a string with a number. */
export type JsonPath = (root: unknown) => unknown[]

/**
 * Parses a JSONPath of a printer column: `.a.b`, `.a\.b`, `['a']`, `[0]`, `[-1]`, `[1:3]`, `[*]`, `[0,2]` and
 * `[?(@.type=="Ready")]`. Undefined if it is invalid.
 */
export function parseJsonPath(text: string): JsonPath | undefined {
  const steps: Step[] = []
  let rest = text
  while (rest !== '') {
    const read = readField(rest) ?? readBrackets(rest)
    if (!read) return undefined
    steps.push(read.step)
    rest = rest.slice(read.length)
  }
  return (root) => steps.reduce((found, step) => found.flatMap(step), [root])
}

/** Maps one value to values below it. */
type Step = (value: unknown) => unknown[]

interface Read {
  readonly step: Step
  readonly length: number
}

function readField(text: string): Read | undefined {
  const [whole, name] = /^\.((?:\\.|[^.[\],$@{}\\ ])*)/.exec(text) ?? []
  if (whole === undefined) return undefined
  const length = whole.length
  if (name === '*') return { step: everyChild, length }
  return { step: child(name!.replaceAll(/\\(.)/g, '$1')), length }
}

const child =
  (name: string): Step =>
  (value) =>
    isObject(value) && Object.hasOwn(value, name) ? [value[name]] : []

const everyChild: Step = (value) => {
  if (Array.isArray(value)) return value
  if (!isObject(value)) return []
  return Object.keys(value)
    .sort()
    .map((key) => value[key])
}

function readBrackets(text: string): Read | undefined {
  const filter = /^\[\?\((?:"[^"]*"|'[^']*'|[^"')])*\)\]/.exec(text)
  const whole = filter?.[0] ?? /^\[(?:'[^']*'|[^\]'])*\]/.exec(text)?.[0]
  if (whole === undefined) return undefined
  const step = filter ? filterStep(whole.slice(3, -2)) : unionStep(whole.slice(1, -1))
  return step && { step, length: whole.length }
}

/** `0`, `1:3`, `*`, `'a'`, or several separated by commas. */
function unionStep(text: string): Step | undefined {
  const steps = text.split(',').map((part) => {
    if (part === '*') return everyChild
    // An unescaped dot in quotes separates keys, as in Kubernetes.
    const key = /^'([^']*)'$/.exec(part)?.[1]
    return key === undefined ? sliceStep(part) : parsedStep(`.${key}`)
  })
  if (steps.some((step) => !step)) return undefined
  return (value) => steps.flatMap((step) => step!(value))
}

function parsedStep(path: string): Step | undefined {
  const parsed = parseJsonPath(path)
  return parsed && ((value) => parsed(value))
}

function sliceStep(text: string): Step | undefined {
  const [whole, from, to, by] = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text) ?? []
  if (whole === undefined || whole === '') return whole === '' ? () => [] : undefined
  const one = to === undefined
  return (value) => {
    if (!Array.isArray(value)) return []
    const place = (index: number): number => (index < 0 ? index + value.length : index)
    const start = from === '' ? 0 : place(Number(from))
    const end = one ? start + 1 : to === ':' ? value.length : place(Number(to.slice(1)))
    if (start < 0 || start > end || end > value.length) return []
    const step = Number(by?.slice(1) || 1)
    if (step <= 0) return []
    return value.slice(start, end).filter((_item, i) => i % step === 0)
  }
}

function filterStep(text: string): Step | undefined {
  const [, left, operator, right] = /^([^!<>=]+)([!<>=]+)([^!<>=].*)$/.exec(text) ?? []
  if (operator === undefined) {
    const exists = operand(text)
    return exists && passing((item) => exists.values(item).length > 0)
  }
  const compare = comparisons[operator]
  const first = operand(left!)
  const second = operand(right!)
  if (!compare || !first || !second) return undefined
  return passing((item) => {
    const [a] = first.values(item)
    const [b] = second.values(item)
    if (a === undefined || b === undefined) return false
    const kinds = [first.kind ?? kindOf(a), second.kind ?? kindOf(b)]
    if (kinds[0] !== kinds[1] || kinds[0] === undefined) throw new TypeError('cannot compare')
    return compare(a as string, b as string)
  })
}

const passing =
  (test: (item: unknown) => boolean): Step =>
  (value) =>
    Array.isArray(value) ? value.filter(test) : []

const comparisons: Readonly<Record<string, (a: string, b: string) => boolean>> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
}

/** One side of a comparison. */
interface Operand {
  readonly values: Step
  /** Of a literal: Kubernetes distinguishes 2.0 (float) from 2 (integer). */
  readonly kind?: string
}

/** `@.a.b`, `"text"`, `'text'`, a number, true or false. */
function operand(text: string): Operand | undefined {
  const word = text.trim()
  if (word.startsWith('@')) {
    const values = parsedStep(word.slice(1))
    return values && { values }
  }
  const quoted = /^"([^"]*)"$|^'([^']*)'$/.exec(word)
  if (quoted) return { values: () => [quoted[1] ?? quoted[2]] }
  if (word === 'true' || word === 'false') return { values: () => [word === 'true'] }
  if (!/^-?\d+(\.\d+)?$/.test(word)) return undefined
  return { values: () => [Number(word)], kind: word.includes('.') ? 'fraction' : 'integer' }
}

/** Only values of the same type are comparable; null and objects are not. */
function kindOf(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction'
  return typeof value === 'object' ? undefined : typeof value
}
