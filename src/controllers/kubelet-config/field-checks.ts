import { isObject } from '@machinist/core/encoding/json'
import { nanosOf } from '@machinist/core/objects/quantity'
import { describeValue } from '../kubelet-defaults/describe-value.ts'
import { readGoDuration } from '../kubelet-defaults/go-duration.ts'
import { closestName } from './closest-name.ts'

/** Reports values that a kubelet cannot read or does not start with. Never throws, for any value. */
export type FieldCheck = (value: unknown, at: string, report: ReportProblem) => void

/** `unknown` marks fields that the table does not have: the kubelet may be newer. */
export type ReportProblem = (problem: string, why?: 'unknown') => void

export const bool: FieldCheck = (value, at, report) => {
  if (typeof value !== 'boolean')
    report(`${at}: ${describeValue(value)} is not a boolean; use true or false`)
}

export const string: FieldCheck = (value, at, report) => {
  if (typeof value === 'string') return
  const isScalar = typeof value === 'number' || typeof value === 'boolean'
  const hint = isScalar ? `; put it in quotes: "${String(value)}"` : ''
  report(`${at}: ${describeValue(value)} is not a string${hint}`)
}

export interface Range {
  readonly least?: number
  readonly most?: number
}

const int32: Required<Range> = { least: -(2 ** 31), most: 2 ** 31 - 1 }

export const integer =
  (range: Range = {}): FieldCheck =>
  (value, at, report) => {
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
      report(`${at}: ${describeValue(value)} is not an integer${unquote(value)}`)
      return
    }
    const { least, most } = { ...int32, ...range }
    if (value < least) report(`${at}: ${value} is less than ${least}`)
    else if (value > most) report(`${at}: ${value} is more than ${most}`)
  }

export const notNegative = integer({ least: 0 })
export const long = integer({ least: Number.MIN_SAFE_INTEGER, most: Number.MAX_SAFE_INTEGER })
export const percent = integer({ least: 0, most: 100 })
export const port = integer({ least: 0, most: 65_535 })

/** A fraction above 0 and at most 1. */
export const share: FieldCheck = (value, at, report) => {
  const isShare = typeof value === 'number' && value > 0 && value <= 1
  if (!isShare) report(`${at}: ${describeValue(value)} is not a number above 0 and at most 1`)
}

/** The range is in milliseconds. */
export const duration =
  ({ least = 0, most = Infinity }: Range = {}): FieldCheck =>
  (value, at, report) => {
    const read = typeof value === 'string' ? readGoDuration(value) : undefined
    if (read === undefined) {
      const isBare = typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value))
      const like = isBare ? `"${value}s"` : '"10s" or "1h30m"'
      report(`${at}: ${describeValue(value)} is not a duration; add the unit, for example ${like}`)
    } else if (read < least)
      report(`${at}: ${describeValue(value)} is less than ${inSeconds(least)}`)
    else if (read > most) report(`${at}: ${describeValue(value)} is more than ${inSeconds(most)}`)
  }

/** A quantity of at least zero. */
export const quantity: FieldCheck = (value, at, report) => {
  if (typeof value !== 'string') return string(value, at, report)
  const nanos = nanosOf(value)
  if (nanos === undefined) {
    report(
      `${at}: ${describeValue(value)} is not a quantity; use for example "500m", "1Gi" or "10G"`,
    )
  } else if (nanos < 0n) report(`${at}: ${describeValue(value)} is negative`)
}

/** A quantity that may also be a number. */
export const size: FieldCheck = (value, at, report) =>
  quantity(typeof value === 'number' ? String(value) : value, at, report)

const share100 = /^(\d{1,3}(?:\.\d{0,9})?|\.\d{1,9})%$/

/** The amount to reclaim: a quantity, or a percentage above zero such as `10%`. */
export const reclaim: FieldCheck = (value, at, report) => {
  const match = typeof value === 'string' ? share100.exec(value) : null
  if (!match) return quantity(value, at, report)
  if (Number(match[1]) === 0) report(`${at}: ${describeValue(value)} must be above zero`)
}

/** An eviction threshold: a quantity above zero, or a percentage up to 100%; `0%` disables the threshold. */
export const threshold: FieldCheck = (value, at, report) => {
  const match = typeof value === 'string' ? share100.exec(value) : null
  if (match) {
    if (Number(match[1]) > 100) report(`${at}: ${describeValue(value)} is more than 100%`)
    return
  }
  quantity(value, at, report)
  if (typeof value !== 'string' || nanosOf(value) !== 0n) return
  report(`${at}: ${describeValue(value)} must be above zero; use "0%" to disable the threshold`)
}

export const oneOf =
  (...names: readonly string[]): FieldCheck =>
  (value, at, report) => {
    if (typeof value === 'string' && names.includes(value)) return
    const known = names.filter((name) => name !== '').join(', ')
    const similar = typeof value === 'string' ? closestName(value, names) : undefined
    const hint = similar ? `; did you mean ${similar}?` : ''
    report(`${at}: ${describeValue(value)} is not one of ${known}${hint}`)
  }

export const list =
  (item: FieldCheck): FieldCheck =>
  (value, at, report) => {
    if (!Array.isArray(value)) return report(`${at}: ${describeValue(value)} is not a list`)
    value.forEach((one, i) => item(one, `${at}[${i}]`, report))
  }

/** A map with any keys, or with those in `names`. `null` removes a key. */
export const map =
  (member: FieldCheck, names?: readonly string[]): FieldCheck =>
  (value, at, report) => {
    if (!isObject(value)) return report(`${at}: ${describeValue(value)} is not an object`)
    for (const [key, one] of Object.entries(value)) {
      if (names && !names.includes(key)) report(unknownField(at, key, names))
      else if (one !== null) member(one, memberPath(at, key), report)
    }
  }

/** `null` removes a field. */
export const object =
  (fields: Readonly<Record<string, FieldCheck>>): FieldCheck =>
  (value, at, report) => {
    if (!isObject(value)) return report(`${at}: ${describeValue(value)} is not an object`)
    for (const [key, one] of Object.entries(value)) {
      const check = Object.hasOwn(fields, key) ? fields[key] : undefined
      if (!check) report(unknownField(at, key, Object.keys(fields)), 'unknown')
      else if (one !== null) check(one, memberPath(at, key), report)
    }
  }

/** `spec.kubeletConfig.evictionHard["memory.available"]`. */
export function memberPath(at: string, key: string): string {
  return /^[A-Za-z_][\w-]{0,62}$/.test(key) ? `${at}.${key}` : `${at}[${describeValue(key)}]`
}

function unknownField(at: string, key: string, names: readonly string[]): string {
  const similar = closestName(key, names)
  const hint = similar ? `did you mean ${similar}?` : listNames(names)
  return `${memberPath(at, key)}: unknown field; ${hint}`
}

const listNames = (names: readonly string[]): string =>
  names.length > 12
    ? 'see KubeletConfiguration of your Kubernetes version'
    : `known fields: ${names.join(', ')}`

const unquote = (value: unknown): string =>
  typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? '; remove the quotes' : ''

const inSeconds = (ms: number): string => `${ms / 1000}s`
