import { isObject } from '@machinist/core/json'
import { nanosOf } from '@machinist/core/quantity'
import { isLabelKey, isLabelValue } from '@machinist/core/selectors'
import { shown } from '../kubelet-defaults/shown.ts'
import type { Check } from './field-checks.ts'
import {
  bool,
  duration,
  list,
  long,
  map,
  memberPath,
  notNegative,
  object,
  oneOf,
  quantity,
  reclaim,
  size,
  text,
  threshold,
} from './field-checks.ts'

/* Fields of kubelets with rules of their own. */

/** Where the empty text is given, the kubelet has a default. */
export const choice = (...names: readonly string[]): Check => oneOf('', ...names)

/** Lists of texts by name. They may hold credentials, so what is wrong is told without them. */
export const headers: Check = (value, at, tell) => {
  if (!isObject(value)) return tell(`${at}: is no object`)
  for (const [key, one] of Object.entries(value)) {
    const isList = Array.isArray(one) && one.every((each) => typeof each === 'string')
    if (one !== null && !isList) tell(`${memberPath(at, key)}: is no list of texts`)
  }
}

/** What can be kept from pods. */
export const reserved = map(quantity, ['cpu', 'memory', 'ephemeral-storage', 'pid'])

const signals = [
  'memory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'containerfs.available',
  'containerfs.inodesFree',
  'allocatableMemory.available',
  'pid.available',
]
export const thresholds = map(threshold, signals)
export const graces = map(duration(), signals)
export const reclaims = map(reclaim, signals)

const outputOptions = object({ splitStream: bool, infoBufferSize: size })
export const logging = object({
  format: choice('text', 'json'),
  flushFrequency: (value, at, tell) =>
    typeof value === 'number' ? long(value, at, tell) : duration()(value, at, tell),
  verbosity: notNegative,
  vmodule: list(object({ filePattern: text, verbosity: notNegative })),
  options: object({ text: outputOptions, json: outputOptions }),
})

const taint = object({
  key: named(isLabelKey, 'key of a taint'),
  value: named(isLabelValue, 'value of a taint'),
  effect: oneOf('NoSchedule', 'PreferNoSchedule', 'NoExecute'),
})
export const taints: Check = (value, at, tell) => {
  list(taint)(value, at, tell)
  for (const [i, one] of (Array.isArray(value) ? value : []).entries()) {
    if (isObject(one) && !Object.hasOwn(one, 'key')) tell(`${at}[${i}].key: is missing`)
  }
}

/** Memory of a NUMA node that is set aside: some of it, of a kind that can be. */
const setAside: Check = (value, at, tell) => {
  if (!isObject(value)) return map(size)(value, at, tell)
  map(size)(value, at, tell)
  for (const [kind, amount] of Object.entries(value)) {
    if (kind !== 'memory' && !kind.startsWith('hugepages-')) {
      tell(`${at}: ${shown(kind)} cannot be set aside, only memory and hugepages-<size>`)
    }
    const isZero = amount === 0 || (typeof amount === 'string' && nanosOf(amount) === 0n)
    if (isZero) tell(`${at}: ${shown(kind)} has to be above zero`)
  }
}
export const reservedMemory = list(object({ numaNode: notNegative, limits: setAside }))

/** An absolute path without detours, in ASCII. */
export const podLogsDir: Check = (value, at, tell) => {
  if (typeof value !== 'string') return text(value, at, tell)
  const [root, ...rest] = value.split('/')
  const isPath = root === '' && rest.every((part) => /^(?!\.{1,2}$)[\x20-\x7e]+$/.test(part))
  if (value === '' || isPath) return
  tell(`${at}: ${shown(value)} is no path of a directory; write it like "/var/log/pods"`)
}

export const runOnce: Check = (value, at, tell) => {
  bool(value, at, tell)
  if (value === true) tell(`${at}: kubelets no longer run once and end`)
}

export const containerLogMaxSize: Check = (value, at, tell) => {
  if (value !== '') quantity(value, at, tell)
}

export const reservedSystemCPUs: Check = (value, at, tell) => {
  if (typeof value !== 'string') return text(value, at, tell)
  if (value === '' || isCpuSet(value)) return
  tell(`${at}: ${shown(value)} is no list of CPUs; write it like "0-1,4"`)
}

/** A range does not go down. */
function isCpuSet(cpus: string): boolean {
  return cpus.split(',').every((part) => {
    const [, first, last] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(part) ?? []
    return first !== undefined && Number(last ?? first) >= Number(first)
  })
}

function named(isName: (text: string) => boolean, what: string): Check {
  return (value, at, tell) => {
    if (typeof value !== 'string') return text(value, at, tell)
    if (!isName(value)) tell(`${at}: ${shown(value)} is no ${what}`)
  }
}
