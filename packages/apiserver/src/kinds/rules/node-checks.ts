import { isIPv4 } from 'node:net'
import { sameJson } from '@machinist/core/json'
import type { Cause } from '../../refusal.ts'
import {
  duplicateValue,
  forbidden,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from '../../schema/causes.ts'
import { hasFormat } from '../../schema/formats.ts'
import { labelValueProblems, qualifiedNameProblems } from '../../verbs/names.ts'
import type { ApiObject } from '../kind-rules.ts'
import type { Fields } from './fields.ts'
import { items, membersOf, specOf, statusOf, textOf, textsOf } from './fields.ts'
import { taintEffects } from './taint-effects.ts'

export function nodeProblems(node: ApiObject, before: ApiObject | undefined): Cause[] {
  const ranges = textsOf(specOf(node)['podCIDRs'])
  return [
    ...amountProblems(statusOf(node)),
    ...(before ? changeProblems(node, before) : []),
    ...taintProblems(items(specOf(node)['taints'])),
    ...(before ? [] : rangeProblems(ranges)),
  ]
}

/** kube-apiserver says `metadata.taints` where it means the spec's. */
function taintProblems(taints: readonly Fields[]): Cause[] {
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

function effectProblems(field: string, effect: string): Cause[] {
  if (effect === '') return [requiredValue(field)]
  return taintEffects.includes(effect) ? [] : [unsupportedValue(field, effect, taintEffects)]
}

function sameTaint(field: string, texts: readonly string[]): Cause {
  const [key, value, effect] = texts.map((text) => JSON.stringify(text))
  const shown = `core.Taint{Key:${key}, Value:${value}, Effect:${effect}, TimeAdded:<nil>}`
  const message = `Duplicate value: ${shown}: taints must be unique by key and effect pair`
  return { reason: 'FieldValueDuplicate', message, field }
}

function rangeProblems(ranges: readonly string[]): Cause[] {
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

/** Once a node has its addresses and its identity, they stay. */
function changeProblems(node: ApiObject, before: ApiObject): Cause[] {
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

function addressProblems(addresses: readonly Fields[]): Cause[] {
  const shown = addresses.map((each) => {
    const [type, address] = [textOf(each['type']), textOf(each['address'])]
    return `core.NodeAddress{Type:${JSON.stringify(type)}, Address:${JSON.stringify(address)}}`
  })
  return shown.flatMap((text, place) => {
    if (shown.indexOf(text) === place) return []
    const field = `status.addresses[${place}]`
    return [{ reason: 'FieldValueDuplicate', message: `Duplicate value: ${text}`, field }]
  })
}

function amountProblems(status: Fields): Cause[] {
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
