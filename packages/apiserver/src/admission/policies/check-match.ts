import type { Fields } from '../../kinds/fields.ts'
import { items, textOf, textsOf } from '../../kinds/fields.ts'
import { selectorProblems } from '../../objects/selector-checks.ts'
import type { StatusCause } from '../../status/status-error.ts'
import {
  duplicateValue,
  invalidValue,
  requiredValue,
  unsupportedValue,
} from '../../status/causes.ts'
import { quoted } from '../../go/quoted-text.ts'
import { nameProblems } from '../../objects/names.ts'
import { splitResource } from './rule-matching.ts'

/** Validates the `matchConstraints` of a policy or the `matchResources` of a binding. */
export function matchProblems(resources: Fields, field: string): StatusCause[] {
  const policy = textOf(resources['matchPolicy'])
  const rules = (name: string): StatusCause[] =>
    items(resources[name]).flatMap((rule, index) =>
      ruleProblems(rule, `${field}.${name}[${index}]`),
    )
  return [
    ...oneOf(`${field}.matchPolicy`, policy, ['Equivalent', 'Exact']),
    ...selectorProblems(resources['namespaceSelector'], `${field}.namespaceSelector`),
    ...selectorProblems(resources['objectSelector'], `${field}.objectSelector`),
    ...rules('resourceRules'),
    ...rules('excludeResourceRules'),
  ]
}

export function oneOf(field: string, value: string, supported: readonly string[]): StatusCause[] {
  return supported.includes(value) ? [] : [unsupportedValue(field, value, supported)]
}

/** kube-apiserver prints some lists with their Go type name. */
export function invalidList(
  field: string,
  type: string,
  values: readonly string[],
  why: string,
): StatusCause {
  const printed = `[]${type}{${values.map(quoted).join(', ')}}`
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${printed}: ${why}`, field }
}

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']

function ruleProblems(rule: Fields, field: string): StatusCause[] {
  const versions = textsOf(rule['apiVersions'])
  const scope = rule['scope']
  const operationList = textsOf(rule['operations'])
  return [
    ...resourceNameProblems(textsOf(rule['resourceNames']), `${field}.resourceNames`),
    ...listProblems(
      operationList,
      `${field}.operations`,
      'admissionregistration.OperationType',
      'operations',
    ),
    ...operationList.flatMap((each, index) =>
      oneOf(`${field}.operations[${index}]`, each, operations),
    ),
    ...listProblems(textsOf(rule['apiGroups']), `${field}.apiGroups`, 'string', 'API groups'),
    ...listProblems(versions, `${field}.apiVersions`, 'string', 'API versions'),
    ...emptyItems(versions, `${field}.apiVersions`),
    ...resourceProblems(textsOf(rule['resources']), `${field}.resources`),
    ...(scope === undefined
      ? []
      : oneOf(`${field}.scope`, textOf(scope), ['*', 'Cluster', 'Namespaced'])),
  ]
}

function resourceNameProblems(names: readonly string[], field: string): StatusCause[] {
  return names.flatMap((name, index) => [
    ...nameProblems(name, 'path-segment').map((problem) =>
      invalidValue(`${field}[${index}]`, name, problem),
    ),
    ...(names.indexOf(name) < index ? [duplicateValue(`${field}[${index}]`, name)] : []),
  ])
}

/** The list must not be empty, and `*` must be the only item. */
function listProblems(
  values: readonly string[],
  field: string,
  type: string,
  what: string,
): StatusCause[] {
  if (values.length === 0) return [requiredValue(field)]
  if (values.length === 1 || !values.includes('*')) return []
  return [invalidList(field, type, values, `if '*' is present, must not specify other ${what}`)]
}

const emptyItems = (values: readonly string[], field: string): StatusCause[] =>
  values.flatMap((value, index) => (value === '' ? [requiredValue(`${field}[${index}]`)] : []))

function resourceProblems(resources: readonly string[], field: string): StatusCause[] {
  if (resources.length === 0) return [requiredValue(field)]
  const causes: StatusCause[] = []
  const wholly = new Set<string>()
  const everywhere = new Set<string>()
  resources.forEach((resource, index) => {
    const place = `${field}[${index}]`
    if (resource === '') causes.push(requiredValue(place))
    if (!resource.includes('/')) return
    const [main, below] = splitResource(resource)
    const covered = (by: string): StatusCause =>
      invalidValue(place, resource, `if '${by}' is present, must not specify ${resource}`)
    if (wholly.has(main)) causes.push(covered(`${main}/*`))
    if (everywhere.has(below)) causes.push(covered(`*/${below}`))
    if (below === '*') wholly.add(main)
    if (main === '*') everywhere.add(below)
  })
  return [...causes, ...starProblems(resources, field)]
}

function starProblems(resources: readonly string[], field: string): StatusCause[] {
  const causes: StatusCause[] = []
  if (resources.length > 1 && resources.includes('*/*')) {
    const why = "if '*/*' is present, must not specify other resources"
    causes.push(invalidList(field, 'string', resources, why))
  }
  // Only the last resource without a subresource counts, as in kube-apiserver.
  const plain = resources.filter((resource) => resource !== '' && !resource.includes('/'))
  if (plain.includes('*') && plain.at(-1) !== '*') {
    const why = "if '*' is present, must not specify other resources without subresources"
    causes.push(invalidList(field, 'string', resources, why))
  }
  return causes
}
