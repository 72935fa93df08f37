import type { StatusCause } from '../../../status/status-error.ts'
import { invalidValue, requiredValue, unsupportedValue } from '../../../status/causes.ts'
import type { ApiObject } from '../../kind-rules.ts'
import type { Fields } from '../../fields.ts'
import { items, membersOf, specOf, statusOf, textOf } from '../../fields.ts'
import { selectorProblems } from '../../../objects/selector-checks.ts'

/** Validates a PodDisruptionBudget. Counts are validated only for writes to its status. */
export function budgetProblems(budget: ApiObject, subresource: string | undefined): StatusCause[] {
  return subresource === 'status' ? statusProblems(statusOf(budget)) : specProblems(specOf(budget))
}

function specProblems(spec: Fields): StatusCause[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec
  const causes: StatusCause[] = []
  if (isSet(minAvailable) && isSet(maxUnavailable)) causes.push(bothSet)
  causes.push(...amountProblems(minAvailable, 'spec.minAvailable'))
  causes.push(...amountProblems(maxUnavailable, 'spec.maxUnavailable'))
  causes.push(...selectorProblems(membersOf(selector), 'spec.selector'))
  if (isSet(policy) && !policies.includes(textOf(policy))) {
    causes.push(unsupportedValue('spec.unhealthyPodEvictionPolicy', policy, policies))
  }
  return causes
}

const policies = ['AlwaysAllow', 'IfHealthyBudget']

/** kube-apiserver prints memory addresses in this message; here they are omitted. */
const bothSet: StatusCause = {
  reason: 'FieldValueInvalid',
  message:
    'Invalid value: policy.PodDisruptionBudgetSpec: minAvailable and maxUnavailable cannot be both set',
  field: 'spec',
}

/** A number of pods, or a percentage. */
function amountProblems(amount: unknown, field: string): StatusCause[] {
  if (typeof amount === 'number') return negativeProblems(amount, field)
  if (typeof amount !== 'string') return []
  const text = `intstr.IntOrString{Type:1, IntVal:0, StrVal:${JSON.stringify(amount)}}`
  const invalidAmount = (problem: string): StatusCause[] => [
    { reason: 'FieldValueInvalid', message: `Invalid value: ${text}: ${problem}`, field },
  ]
  if (!/^[0-9]+%$/.test(amount)) return invalidAmount(notPercent)
  return Number(amount.slice(0, -1)) > 100 ? invalidAmount('must not be greater than 100%') : []
}

const notPercent =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"

const counts = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods']

function statusProblems(status: Fields): StatusCause[] {
  const conditions = items(status['conditions']).flatMap((condition, index) =>
    conditionProblems(condition, `status.conditions[${index}]`),
  )
  const numbers = counts.flatMap((field) => {
    const count = status[field]
    return typeof count === 'number' ? negativeProblems(count, `status.${field}`) : []
  })
  return [...conditions, ...numbers]
}

const states = ['False', 'True', 'Unknown']

function conditionProblems(
  { type, status, reason, lastTransitionTime }: Fields,
  at: string,
): StatusCause[] {
  const causes: StatusCause[] = []
  if (textOf(type) === '') causes.push(requiredValue(`${at}.type`, 'must be set'))
  if (!states.includes(textOf(status)))
    causes.push(unsupportedValue(`${at}.status`, status ?? '', states))
  if (textOf(lastTransitionTime) === '')
    causes.push(requiredValue(`${at}.lastTransitionTime`, 'must be set'))
  if (textOf(reason) === '') causes.push(requiredValue(`${at}.reason`, 'must be set'))
  else if (!/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(textOf(reason))) {
    causes.push(invalidValue(`${at}.reason`, reason, notReason))
  }
  return causes
}

const notReason =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')"

const negativeProblems = (count: number, field: string): StatusCause[] =>
  count >= 0 ? [] : [invalidValue(field, count, 'must be greater than or equal to 0')]

const isSet = (value: unknown): boolean => value !== undefined && value !== null
