import { isObject } from '@machinist/core/encoding/json'
import type { ApiObject } from '../../kinds/kind-rules.ts'
import type { Fields } from '../../kinds/fields.ts'
import { specOf, textOf, textsOf } from '../../kinds/fields.ts'
import { selectorProblems } from '../../objects/selector-checks.ts'
import type { StatusCause } from '../../status/status-error.ts'
import { duplicateValue, forbidden, invalidValue, requiredValue } from '../../status/causes.ts'
import { nameProblems } from '../../objects/names.ts'
import { invalidList, matchProblems, oneOf } from './check-match.ts'

/** Validates a ValidatingAdmissionPolicyBinding. */
export function bindingProblems(binding: ApiObject): StatusCause[] {
  const { policyName, paramRef, matchResources, validationActions } = specOf(binding)
  const policy = textOf(policyName)
  return [
    ...(policy === ''
      ? [requiredValue('spec.policyName')]
      : nameProblems(policy).map((why) => invalidValue('spec.policyName', policy, why))),
    ...(isObject(paramRef) ? paramRefProblems(paramRef, 'spec.paramRef') : []),
    ...(isObject(matchResources) ? matchProblems(matchResources, 'spec.matchResources') : []),
    ...actionProblems(textsOf(validationActions), 'spec.validationActions'),
  ]
}

const exclusive = 'name and selector are mutually exclusive'

function paramRefProblems(ref: Fields, field: string): StatusCause[] {
  const name = textOf(ref['name'])
  const hasSelector = isObject(ref['selector'])
  const action = textOf(ref['parameterNotFoundAction'])
  const both = name !== '' && hasSelector
  return [
    ...nameProblems(name, 'path-segment').map((why) => invalidValue(`${field}.name`, name, why)),
    ...(both ? [forbidden(`${field}.name`, exclusive)] : []),
    ...selectorProblems(ref['selector'], `${field}.selector`),
    ...(both ? [forbidden(`${field}.selector`, exclusive)] : []),
    ...(name === '' && !hasSelector
      ? [requiredValue(field, 'one of name or selector must be specified')]
      : []),
    ...(action === ''
      ? [requiredValue(`${field}.parameterNotFoundAction`)]
      : oneOf(`${field}.parameterNotFoundAction`, action, ['Deny', 'Allow'])),
  ]
}

const twice =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)'

function actionProblems(actions: readonly string[], field: string): StatusCause[] {
  if (actions.length === 0) {
    return [requiredValue(field, 'at least one validation action is required')]
  }
  const causes = actions.flatMap((action, index) => [
    ...oneOf(`${field}[${index}]`, action, ['Audit', 'Deny', 'Warn']),
    ...(actions.indexOf(action) < index ? [duplicateValue(`${field}[${index}]`, action)] : []),
  ])
  const both = actions.includes('Deny') && actions.includes('Warn')
  if (!both) return causes
  return [...causes, invalidList(field, 'admissionregistration.ValidationAction', actions, twice)]
}
