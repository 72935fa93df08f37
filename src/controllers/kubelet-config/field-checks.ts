import { isObject } from '@machinist/core/json'
import { nanosOf } from '@machinist/core/quantity'
import { shown } from '../kubelet-defaults/shown.ts'
import { closest } from './closest.ts'
import { readGoDuration } from '../kubelet-defaults/go-duration.ts'

/** Says what a kubelet could not read, or would not start with. Never throws, whatever the value. */
export type Check = (value: unknown, at: string, tell: Tell) => void

/** `unknown` are fields that the table has not: the kubelet may be newer than it. */
export type Tell = (problem: string, why?: 'unknown') => void

export const bool: Check = (value, at, tell) => {
  if (typeof value !== 'boolean') tell(`${at}: ${shown(value)} is neither true nor false`)
}

export const text: Check = (value, at, tell) => {
  if (typeof value === 'string') return
  const hint = typeof value === 'number' || typeof value === 'boolean'
  tell(`${at}: ${shown(value)} is no text${hint ? `; put it in quotes: "${String(value)}"` : ''}`)
}

export interface Range {
  readonly least?: number
  readonly most?: number
}

const int32: Required<Range> = { least: -(2 ** 31), most: 2 ** 31 - 1 }

export const integer =
  (range: Range = {}): Check =>
  (value, at, tell) => {
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
      tell(`${at}: ${shown(value)} is no whole number${unquote(value)}`)
      return
    }
    const { least, most } = { ...int32, ...range }
    if (value < least) tell(`${at}: ${value} is less than ${least}`)
    else if (value > most) tell(`${at}: ${value} is more than ${most}`)
  }

export const notNegative = integer({ least: 0 })
export const long = integer({ least: Number.MIN_SAFE_INTEGER, most: Number.MAX_SAFE_INTEGER })
export const percent = integer({ least: 0, most: 100 })
export const port = integer({ least: 0, most: 65_535 })

/** More than nothing, and at most one. */
export const share: Check = (value, at, tell) => {
  const isShare = typeof value === 'number' && value > 0 && value <= 1
  if (!isShare) tell(`${at}: ${shown(value)} is no number above 0 and up to 1`)
}

/** In milliseconds. */
export const duration =
  ({ least = 0, most = Infinity }: Range = {}): Check =>
  (value, at, tell) => {
    const read = typeof value === 'string' ? readGoDuration(value) : undefined
    if (read === undefined) {
      const isBare = typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value))
      const like = isBare ? `"${value}s"` : '"10s" or "1h30m"'
      tell(`${at}: ${shown(value)} is no duration; write it with its unit, like ${like}`)
    } else if (read < least) tell(`${at}: ${shown(value)} is less than ${inSeconds(least)}`)
    else if (read > most) tell(`${at}: ${shown(value)} is more than ${inSeconds(most)}`)
  }

/** Not below zero. */
export const quantity: Check = (value, at, tell) => {
  if (typeof value !== 'string') return text(value, at, tell)
  const nanos = nanosOf(value)
  if (nanos === undefined) {
    tell(`${at}: ${shown(value)} is no quantity; write it like "500m", "1Gi" or "10G"`)
  } else if (nanos < 0n) tell(`${at}: ${shown(value)} is negative`)
}

/** The same where a number will do. */
export const size: Check = (value, at, tell) =>
  quantity(typeof value === 'number' ? String(value) : value, at, tell)

const share100 = /^(\d{1,3}(?:\.\d{0,9})?|\.\d{1,9})%$/

/** How much to get back: a quantity, or a share above zero such as `10%`. */
export const reclaim: Check = (value, at, tell) => {
  const match = typeof value === 'string' ? share100.exec(value) : null
  if (!match) return quantity(value, at, tell)
  if (Number(match[1]) === 0) tell(`${at}: ${shown(value)} is not above zero`)
}

/** Where to begin: a quantity above zero, or a share up to 100%; `0%` is no threshold at all. */
export const threshold: Check = (value, at, tell) => {
  const match = typeof value === 'string' ? share100.exec(value) : null
  if (match) {
    if (Number(match[1]) > 100) tell(`${at}: ${shown(value)} is more than 100%`)
    return
  }
  quantity(value, at, tell)
  if (typeof value !== 'string' || nanosOf(value) !== 0n) return
  tell(`${at}: ${shown(value)} is not above zero; write "0%" for no threshold at all`)
}

export const oneOf =
  (...names: readonly string[]): Check =>
  (value, at, tell) => {
    if (typeof value === 'string' && names.includes(value)) return
    const known = names.filter((name) => name !== '').join(', ')
    const meant = typeof value === 'string' ? closest(value, names) : undefined
    tell(`${at}: ${shown(value)} is not one of ${known}${meant ? `; did you mean ${meant}?` : ''}`)
  }

export const list =
  (item: Check): Check =>
  (value, at, tell) => {
    if (!Array.isArray(value)) return tell(`${at}: ${shown(value)} is no list`)
    value.forEach((one, i) => item(one, `${at}[${i}]`, tell))
  }

/** Any names, or those that `names` says. `null` takes one away. */
export const map =
  (member: Check, names?: readonly string[]): Check =>
  (value, at, tell) => {
    if (!isObject(value)) return tell(`${at}: ${shown(value)} is no object`)
    for (const [key, one] of Object.entries(value)) {
      if (names && !names.includes(key)) tell(unknownField(at, key, names))
      else if (one !== null) member(one, memberPath(at, key), tell)
    }
  }

/** `null` takes a field away. */
export const object =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value, at, tell) => {
    if (!isObject(value)) return tell(`${at}: ${shown(value)} is no object`)
    for (const [key, one] of Object.entries(value)) {
      const check = Object.hasOwn(fields, key) ? fields[key] : undefined
      if (!check) tell(unknownField(at, key, Object.keys(fields)), 'unknown')
      else if (one !== null) check(one, memberPath(at, key), tell)
    }
  }

/** `spec.kubeletConfig.evictionHard["memory.available"]`. */
export function memberPath(at: string, key: string): string {
  return /^[A-Za-z_][\w-]{0,62}$/.test(key) ? `${at}.${key}` : `${at}[${shown(key)}]`
}

function unknownField(at: string, key: string, names: readonly string[]): string {
  const meant = closest(key, names)
  const hint = meant ? `did you mean ${meant}?` : few(names)
  return `${memberPath(at, key)}: kubelets know no such field; ${hint}`
}

const few = (names: readonly string[]): string =>
  names.length > 12
    ? 'see the KubeletConfiguration of your Kubernetes'
    : `known are ${names.join(', ')}`

const unquote = (value: unknown): string =>
  typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? '; leave out the quotes' : ''

const inSeconds = (ms: number): string => `${ms / 1000}s`
