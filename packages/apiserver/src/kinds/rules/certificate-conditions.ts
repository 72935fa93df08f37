import { timestamp } from '@machinist/core/timestamp'
import type { StatusCause } from '../../status/status-error.ts'
import {
  duplicateValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from '../../status/causes.ts'
import type { ApiObject } from '../kind-rules.ts'
import type { Fields } from '../fields.ts'
import { items, statusOf, textOf } from '../fields.ts'

/** Decisions about a request; immutable once made. */
export const decisions = ['Approved', 'Denied']
/** Condition types that can only be True and cannot be removed. */
export const lastingTypes = [...decisions, 'Failed']

export const conditionsOf = (request: ApiObject): Fields[] => items(statusOf(request)['conditions'])

/** Signers must not approve: through /status existing decisions stay as they are. */
export function keepDecision(request: ApiObject, before: ApiObject): void {
  const conditions = conditionsOf(request)
  for (const type of decisions) {
    const now = conditions.filter((condition) => condition['type'] === type)
    const old = conditionsOf(before).filter((condition) => condition['type'] === type)
    if (now.length !== old.length) continue
    now.forEach((condition, place) => {
      for (const field of Object.keys(condition)) delete condition[field]
      Object.assign(condition, structuredClone(old[place]))
    })
  }
}

/** Sets lastTransitionTime where the status changed. */
export function setTimes(request: ApiObject, before: ApiObject, now: number): void {
  for (const condition of conditionsOf(request)) {
    const { type, status } = condition
    const old = conditionsOf(before).find((each) => each['type'] === type)
    const since = old?.['status'] === status ? old?.['lastTransitionTime'] : undefined
    condition['lastUpdateTime'] ??= timestamp(now)
    condition['lastTransitionTime'] ??= since ?? timestamp(now)
  }
}

export function conditionProblems(
  request: ApiObject,
  before: ApiObject | undefined,
): StatusCause[] {
  const old = new Set(before ? conditionsOf(before).map((each) => each['type']) : [])
  // Tolerate existing invalid state.
  const bothAllowed = decisions.every((type) => old.has(type))
  const seen = new Set<string>()
  return conditionsOf(request).flatMap((condition, place) => {
    const type = textOf(condition['type'])
    const status = textOf(condition['status'])
    const causes = oneProblems({ type, status }, seen, `status.conditions[${place}]`, bothAllowed)
    seen.add(type)
    return causes
  })
}

function oneProblems(
  { type, status }: { type: string; status: string },
  seen: ReadonlySet<string>,
  at: string,
  bothAllowed: boolean,
): StatusCause[] {
  const other = decisions.find((each) => each !== type)!
  const both = decisions.includes(type) && seen.has(other) && !bothAllowed
  return [
    ...(type === '' ? [requiredValue(`${at}.type`)] : []),
    ...statusProblems(`${at}.status`, type, status),
    ...(both ? [invalidValue(`${at}.type`, type, exclusive)] : []),
    ...(seen.has(type) ? [duplicateValue(`${at}.type`, type)] : []),
  ]
}

const exclusive = 'Approved and Denied conditions are mutually exclusive'

function statusProblems(field: string, type: string, status: string): StatusCause[] {
  const allowed = lastingTypes.includes(type) ? ['True'] : ['False', 'True', 'Unknown']
  if (status === '') return [requiredValue(field)]
  return allowed.includes(status) ? [] : [unsupportedValue(field, status, allowed)]
}
