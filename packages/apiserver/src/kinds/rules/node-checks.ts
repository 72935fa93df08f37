import { isIPv4 } from 'node:net'
import { sameJson } from '@machinist/core/encoding/json'
import type { StatusCause } from '../../status/status-error.ts'
import {
  duplicateValue,
  forbidden,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from '../../status/causes.ts'
import { hasFormat } from '../../schema/structure/formats.ts'
import { labelValueProblems, qualifiedNameProblems } from '../../objects/names.ts'
import type { ApiObject } from '../kind-rules.ts'
import type { Fields } from '../fields.ts'
import { items, membersOf, specOf, statusOf, textOf, textsOf } from '../fields.ts'
import { taintEffects } from './taint-effects.ts'

export function nodeProblems(node: ApiObject, before: ApiObject | undefined): StatusCause[] {
  const ranges = textsOf(specOf(node)['podCIDRs'])
  return [
    ...amountProblems(statusOf(node)),
    ...(before ? changeProblems(node, before) : []),
    ...taintProblems(items(specOf(node)['taints'])),
    ...(before ? [] : rangeProblems(ranges)),
  ]
}

/** kube-apiserver reports `metadata.taints` for taints of the spec. */
function taintProblems(taints: readonly Fields[]): StatusCause[] {
  const seen = new Set<string>()
  return taints.flatMap((taint, place) => {
    const at = `metadata.taints[${place}]`
    const [key, value, effect] = ['key', 'value', 'effect'].map((field) => textOf(taint[field]))
    const pair = `${effect} ${key}`
    const twice = seen.has(pair)
    seen.add(pair)
    const wrongValue = labelValueProblems(value!)
    return [
      ...qualifiedNameProblems(key!).map((problem) => invalidValue(`${at}.key`, key, problem)),
      ...(wrongValue.length > 0 ? [invalidValue(`${at}.value`, value, wrongValue.join(';'))] : []),
      ...effectProblems(`${at}.effect`, effect!),
      ...(twice ? [sameTaint(at, [key!, value!, effect!])] : []),
    ]
  })
}

function effectProblems(field: string, effect: string): StatusCause[] {
  if (effect === '') return [requiredValue(field)]
  return taintEffects.includes(effect) ? [] : [unsupportedValue(field, effect, taintEffects)]
}

function sameTaint(field: string, texts: readonly string[]): StatusCause {
  const [key, value, effect] = texts.map((text) => JSON.stringify(text))
  const printed = `core.Taint{Key:${key}, Value:${value}, Effect:${effect}, TimeAdded:<nil>}`
  const message = `Duplicate value: ${printed}: taints must be unique by key and effect pair`
  return { reason: 'FieldValueDuplicate', message, field }
}

function rangeProblems(ranges: readonly string[]): StatusCause[] {
  const field = 'spec.podCIDRs'
  const example = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'
  const wrong = ranges.flatMap((range, place) =>
    hasFormat('cidr', range) ? [] : [invalidValue(`${field}[${place}]`, range, example)],
  )
  const families = new Set(ranges.map((range) => isIPv4(range.split('/')[0] ?? '')))
  const perFamily = 'may specify no more than one CIDR for each IP family'
  const many =
    families.size < ranges.length && ranges.length > 1
      ? [invalidValue(field, ranges, perFamily)]
      : []
  const twice = ranges.flatMap((range, place) =>
    ranges.indexOf(range) === place ? [] : [duplicateValue(`${field}[${place}]`, range)],
  )
  return [...wrong, ...many, ...twice]
}

/** Addresses and identity of a Node are immutable once set. */
function changeProblems(node: ApiObject, before: ApiObject): StatusCause[] {
  const [spec, old] = [specOf(node), specOf(before)]
  const [ranges, had] = [textsOf(spec['podCIDRs']), textsOf(old['podCIDRs'])]
  const except = (what: string): string =>
    `node updates may not change ${what} except from "" to valid`
  const moved = had.length > 0 && !sameJson(ranges, had)
  const provider = textOf(old['providerID'])
  const renamed = provider !== '' && provider !== textOf(spec['providerID'])
  return [
    ...addressProblems(items(statusOf(node)['addresses'])),
    ...(moved ? [forbidden('spec.podCIDRs', except('podCIDR'))] : []),
    ...(renamed ? [forbidden('spec.providerID', except('providerID'))] : []),
    ...(textOf(spec['externalID']) === textOf(old['externalID'])
      ? []
      : [forbidden('spec.externalID', 'may not be updated')]),
  ]
}

function addressProblems(addresses: readonly Fields[]): StatusCause[] {
  const printed = addresses.map((each) => {
    const [type, address] = [textOf(each['type']), textOf(each['address'])]
    return `core.NodeAddress{Type:${JSON.stringify(type)}, Address:${JSON.stringify(address)}}`
  })
  return printed.flatMap((text, place) => {
    if (printed.indexOf(text) === place) return []
    const field = `status.addresses[${place}]`
    return [{ reason: 'FieldValueDuplicate', message: `Duplicate value: ${text}`, field }]
  })
}

function amountProblems(status: Fields): StatusCause[] {
  return ['capacity', 'allocatable'].flatMap((list) =>
    Object.entries(membersOf(status[list]))
      .filter(([, amount]) => String(amount).startsWith('-'))
      .map(([name, amount]) =>
        invalidValue(
          `status.${list}.${name}`,
          String(amount),
          'must be greater than or equal to 0',
        ),
      ),
  )
}
