import { isObject } from '@machinist/core/encoding/json'
import { nanosOf } from '@machinist/core/objects/quantity'
import { isLabelKey, isLabelValue } from '@machinist/core/objects/selectors'
import { describeValue } from '../kubelet-defaults/describe-value.ts'
import type { FieldCheck } from './field-checks.ts'
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
  string,
  threshold,
} from './field-checks.ts'

/* Fields of a KubeletConfiguration with special rules. */

/** The empty string selects the default of the kubelet. */
export const choice = (...names: readonly string[]): FieldCheck => oneOf('', ...names)

/** Lists of strings by name. They may contain credentials, so problems are reported without values. */
export const headers: FieldCheck = (value, at, report) => {
  if (!isObject(value)) return report(`${at}: not an object`)
  for (const [key, one] of Object.entries(value)) {
    const isList = Array.isArray(one) && one.every((each) => typeof each === 'string')
    if (one !== null && !isList) report(`${memberPath(at, key)}: not a list of strings`)
  }
}

/** Resources that can be reserved. */
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
  flushFrequency: (value, at, report) =>
    typeof value === 'number' ? long(value, at, report) : duration()(value, at, report),
  verbosity: notNegative,
  vmodule: list(object({ filePattern: string, verbosity: notNegative })),
  options: object({ text: outputOptions, json: outputOptions }),
})

const taint = object({
  key: matching(isLabelKey, 'taint key'),
  value: matching(isLabelValue, 'taint value'),
  effect: oneOf('NoSchedule', 'PreferNoSchedule', 'NoExecute'),
})
export const taints: FieldCheck = (value, at, report) => {
  list(taint)(value, at, report)
  for (const [i, one] of (Array.isArray(value) ? value : []).entries()) {
    if (isObject(one) && !Object.hasOwn(one, 'key')) report(`${at}[${i}].key: required`)
  }
}

/** The reserved memory of a NUMA node. */
const memoryLimits: FieldCheck = (value, at, report) => {
  if (!isObject(value)) return map(size)(value, at, report)
  map(size)(value, at, report)
  for (const [kind, amount] of Object.entries(value)) {
    if (kind !== 'memory' && !kind.startsWith('hugepages-')) {
      report(`${at}: ${describeValue(kind)} cannot be reserved; use memory or hugepages-<size>`)
    }
    const isZero = amount === 0 || (typeof amount === 'string' && nanosOf(amount) === 0n)
    if (isZero) report(`${at}: ${describeValue(kind)} must be above zero`)
  }
}
export const reservedMemory = list(object({ numaNode: notNegative, limits: memoryLimits }))

/** An absolute, normalized path in ASCII. */
export const podLogsDir: FieldCheck = (value, at, report) => {
  if (typeof value !== 'string') return string(value, at, report)
  const [root, ...rest] = value.split('/')
  const isPath = root === '' && rest.every((part) => /^(?!\.{1,2}$)[\x20-\x7e]+$/.test(part))
  if (value === '' || isPath) return
  report(`${at}: ${describeValue(value)} is not an absolute path; use for example "/var/log/pods"`)
}

export const runOnce: FieldCheck = (value, at, report) => {
  bool(value, at, report)
  if (value === true) report(`${at}: kubelets no longer support it; remove it`)
}

export const containerLogMaxSize: FieldCheck = (value, at, report) => {
  if (value !== '') quantity(value, at, report)
}

export const reservedSystemCPUs: FieldCheck = (value, at, report) => {
  if (typeof value !== 'string') return string(value, at, report)
  if (value === '' || isCpuSet(value)) return
  report(`${at}: ${describeValue(value)} is not a list of CPUs; use for example "0-1,4"`)
}

/** Ranges must be ascending. */
function isCpuSet(cpus: string): boolean {
  return cpus.split(',').every((part) => {
    const [, first, last] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(part) ?? []
    return first !== undefined && Number(last ?? first) >= Number(first)
  })
}

function matching(isValid: (text: string) => boolean, what: string): FieldCheck {
  return (value, at, report) => {
    if (typeof value !== 'string') return string(value, at, report)
    if (!isValid(value)) report(`${at}: ${describeValue(value)} is not a valid ${what}`)
  }
}
