import type { StatusCause } from '../../../status/status-error.ts'
import { invalidValue, unsupportedValue } from '../../../status/causes.ts'
import { labelValueProblems, qualifiedNameProblems } from '../../../objects/names.ts'
import type { Fields } from '../../fields.ts'
import { items, textOf } from '../../fields.ts'
import { taintEffects } from '../taint-effects.ts'

export function tolerationProblems(tolerations: unknown, list: string): StatusCause[] {
  return items(tolerations).flatMap((toleration, place) =>
    oneToleration(toleration, `${list}[${place}]`),
  )
}

function oneToleration(toleration: Fields, at: string): StatusCause[] {
  const [key, operator, effect] = ['key', 'operator', 'effect'].map((field) =>
    textOf(toleration[field]),
  )
  const keyless = key === '' && operator !== 'Exists'
  const timed = typeof toleration['tolerationSeconds'] === 'number' && effect !== 'NoExecute'
  return [
    ...(key === '' ? [] : qualifiedNameProblems(key!)).map((problem) =>
      invalidValue(`${at}.key`, key, problem),
    ),
    ...(keyless ? [invalidValue(`${at}.operator`, operator, needsKey)] : []),
    ...(timed ? [invalidValue(`${at}.effect`, effect, needsEffect)] : []),
    ...valueProblems(operator!, textOf(toleration['value']), `${at}.operator`),
    ...(effect === '' || taintEffects.includes(effect!)
      ? []
      : [unsupportedValue(`${at}.effect`, effect, taintEffects)]),
  ]
}

const needsKey =
  'operator must be Exists when `key` is empty, which means "match all values and all keys"'
const needsEffect = "effect must be 'NoExecute' when `tolerationSeconds` is set"

function valueProblems(operator: string, value: string, field: string): StatusCause[] {
  if (operator === 'Exists') {
    const why = "value must be empty when `operator` is 'Exists'"
    return value === '' ? [] : [invalidValue(field, value, why)]
  }
  if (operator !== '' && operator !== 'Equal') {
    return [unsupportedValue(field, operator, ['Equal', 'Exists'])]
  }
  const wrong = labelValueProblems(value)
  return wrong.length === 0 ? [] : [invalidValue(field, value, wrong.join(';'))]
}
