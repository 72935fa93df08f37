import { isObject } from '@machinist/core/json'
import type { ApiObject } from '../kinds/kind-rules.ts'
import type { Fields } from '../kinds/rules/fields.ts'
import { items, specOf, textOf } from '../kinds/rules/fields.ts'
import type { Cause } from '../refusal.ts'
import { duplicateValue, invalidValue, requiredValue, tooMany } from '../schema/causes.ts'
import { nameProblems, qualifiedNameProblems } from '../verbs/names.ts'
import { matchProblems, oneOf } from './check-match.ts'
import { askedProblems, expressionProblems } from './check-validations.ts'
import type { Compiled } from './compiled-expression.ts'
import { boolResult, compileVariables } from './compiled-policy.ts'
import type { Scope } from './expression-types.ts'
import type { PolicySpec } from './policy-objects.ts'

/** Everything that is wrong with a ValidatingAdmissionPolicy, in the order in which kube-apiserver says it. */
export function policyProblems(policy: ApiObject): Cause[] {
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
    ...askedProblems(policy, scope),
  ]
}

/** The spec as far as compiling needs it; what is not text is empty. */
function sourceOf(spec: Fields): PolicySpec {
  const variables = items(spec['variables']).map(({ name, expression }) => ({
    name: textOf(name),
    expression: textOf(expression),
  }))
  const paramKind = isObject(spec['paramKind']) ? { apiVersion: '', kind: '' } : undefined
  return { variables, ...(paramKind && { paramKind }) }
}

function constraintProblems(constraints: Fields): Cause[] {
  const causes = matchProblems(constraints, 'spec.matchConstraints')
  if (items(constraints['resourceRules']).length > 0) return causes
  return [...causes, requiredValue('spec.matchConstraints.resourceRules')]
}

function paramKindProblems({ apiVersion, kind }: Fields): Cause[] {
  return [
    ...apiVersionProblems(textOf(apiVersion), 'spec.paramKind.apiVersion'),
    ...kindProblems(textOf(kind), 'spec.paramKind.kind'),
  ]
}

function apiVersionProblems(apiVersion: string, field: string): Cause[] {
  if (apiVersion === '') return [requiredValue(field)]
  const parts = apiVersion.split('/')
  if (parts.length > 2) {
    return [invalidValue(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)]
  }
  const version = parts.pop()!
  const group = parts[0] ?? ''
  const said = (value: string, problems: readonly string[]): Cause[] =>
    problems.length === 0 ? [] : [invalidValue(field, value, problems.join(','))]
  return [
    ...(group === '' ? [] : said(group, nameProblems(group))),
    ...(version === ''
      ? [invalidValue(field, apiVersion, 'version must be specified')]
      : said(version, nameProblems(version, 'service'))),
  ]
}

function kindProblems(kind: string, field: string): Cause[] {
  if (kind === '') return [requiredValue(field)]
  const problems = nameProblems(kind.toLowerCase(), 'service')
  if (problems.length === 0) return []
  const why = `may have mixed case, but should otherwise match: ${problems.join(',')}`
  return [invalidValue(field, kind, why)]
}

const mostConditions = 64

function conditionProblems(conditions: readonly Fields[], scope: Scope): Cause[] {
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
  const many = conditions.length > mostConditions
  return many ? [tooMany(field, conditions.length, mostConditions), ...causes] : causes
}

function variableProblems(
  { name, expression }: Fields,
  made: Compiled | undefined,
  field: string,
): Cause[] {
  const text = textOf(expression)
  const said = textOf(name)
  const causes: Cause[] = []
  if (said.trim() === '') causes.push(requiredValue(`${field}.name`, 'name is not specified'))
  else if (!isIdentifier(said)) {
    causes.push(invalidValue(`${field}.name`, said, 'name is not a valid CEL identifier'))
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
