import { isObject } from '@machinist/core/encoding/json'
import type { ApiObject } from '../../kinds/kind-rules.ts'
import type { Fields } from '../../kinds/fields.ts'
import { items, specOf, textOf } from '../../kinds/fields.ts'
import type { StatusCause } from '../../status/status-error.ts'
import { duplicateValue, invalidValue, requiredValue, tooMany } from '../../status/causes.ts'
import { nameProblems, qualifiedNameProblems } from '../../objects/names.ts'
import { matchProblems, oneOf } from './check-match.ts'
import { validationListProblems, expressionProblems } from './check-validations.ts'
import type { CompiledExpression } from './compiled-expression.ts'
import { boolResult, compileVariables } from './compiled-policy.ts'
import type { ExpressionScope } from './expression-types.ts'
import type { PolicySpec } from './policy-objects.ts'

/** Validates a ValidatingAdmissionPolicy; causes are in kube-apiserver's order. */
export function policyProblems(policy: ApiObject): StatusCause[] {
  const spec = specOf(policy)
  const { paramKind, matchConstraints } = spec
  const { scope, listed } = compileVariables(sourceOf(spec))
  const bare = { ...scope, variables: undefined }
  return [
    ...oneOf('spec.failurePolicy', textOf(spec['failurePolicy']), ['Fail', 'Ignore']),
    ...(isObject(paramKind) ? paramKindProblems(paramKind) : []),
    ...(isObject(matchConstraints)
      ? constraintProblems(matchConstraints)
      : [requiredValue('spec.matchConstraints')]),
    ...conditionProblems(items(spec['matchConditions']), bare),
    ...items(spec['variables']).flatMap((variable, index) =>
      variableProblems(variable, listed[index], `spec.variables[${index}]`),
    ),
    ...validationListProblems(policy, scope),
  ]
}

/** The spec as compilation needs it; values that are not strings become empty. */
function sourceOf(spec: Fields): PolicySpec {
  const variables = items(spec['variables']).map(({ name, expression }) => ({
    name: textOf(name),
    expression: textOf(expression),
  }))
  const paramKind = isObject(spec['paramKind']) ? { apiVersion: '', kind: '' } : undefined
  return { variables, ...(paramKind && { paramKind }) }
}

function constraintProblems(constraints: Fields): StatusCause[] {
  const causes = matchProblems(constraints, 'spec.matchConstraints')
  if (items(constraints['resourceRules']).length > 0) return causes
  return [...causes, requiredValue('spec.matchConstraints.resourceRules')]
}

function paramKindProblems({ apiVersion, kind }: Fields): StatusCause[] {
  return [
    ...apiVersionProblems(textOf(apiVersion), 'spec.paramKind.apiVersion'),
    ...kindProblems(textOf(kind), 'spec.paramKind.kind'),
  ]
}

function apiVersionProblems(apiVersion: string, field: string): StatusCause[] {
  if (apiVersion === '') return [requiredValue(field)]
  const parts = apiVersion.split('/')
  if (parts.length > 2) {
    return [invalidValue(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)]
  }
  const version = parts.pop()!
  const group = parts[0] ?? ''
  const invalidValues = (value: string, problems: readonly string[]): StatusCause[] =>
    problems.length === 0 ? [] : [invalidValue(field, value, problems.join(','))]
  return [
    ...(group === '' ? [] : invalidValues(group, nameProblems(group))),
    ...(version === ''
      ? [invalidValue(field, apiVersion, 'version must be specified')]
      : invalidValues(version, nameProblems(version, 'service'))),
  ]
}

function kindProblems(kind: string, field: string): StatusCause[] {
  if (kind === '') return [requiredValue(field)]
  const problems = nameProblems(kind.toLowerCase(), 'service')
  if (problems.length === 0) return []
  const why = `may have mixed case, but should otherwise match: ${problems.join(',')}`
  return [invalidValue(field, kind, why)]
}

const maxConditions = 64

function conditionProblems(conditions: readonly Fields[], scope: ExpressionScope): StatusCause[] {
  const field = 'spec.matchConditions'
  const names = conditions.map(({ name }) => textOf(name))
  const causes = conditions.flatMap(({ expression }, index) => {
    const place = `${field}[${index}]`
    const text = textOf(expression).trim()
    const name = names[index]!
    return [
      ...(text === ''
        ? [requiredValue(`${place}.expression`)]
        : expressionProblems(text, scope, boolResult, `${place}.expression`)),
      ...(name === ''
        ? [requiredValue(`${place}.name`)]
        : qualifiedNameProblems(name).map((why) => invalidValue(`${place}.name`, name, why))),
      ...(name !== '' && names.indexOf(name) < index
        ? [duplicateValue(`${place}.name`, name)]
        : []),
    ]
  })
  const many = conditions.length > maxConditions
  return many ? [tooMany(field, conditions.length, maxConditions), ...causes] : causes
}

function variableProblems(
  { name, expression }: Fields,
  made: CompiledExpression | undefined,
  field: string,
): StatusCause[] {
  const text = textOf(expression)
  const variable = textOf(name)
  const causes: StatusCause[] = []
  if (variable.trim() === '') causes.push(requiredValue(`${field}.name`, 'name is not specified'))
  else if (!isIdentifier(variable)) {
    causes.push(invalidValue(`${field}.name`, variable, 'name is not a valid CEL identifier'))
  }
  if (text.trim() === '') {
    causes.push(requiredValue(`${field}.expression`, 'expression is not specified'))
  } else if (made && 'problem' in made) {
    causes.push(invalidValue(`${field}.expression`, text, made.problem))
  }
  return causes
}

const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

const isIdentifier = (name: string): boolean =>
  /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !reserved.has(name)
