import { isObject } from '@machinist/core/encoding/json'
import type { StatusCause } from '../status/status-error.ts'
import { forbidden, invalidValue, requiredValue, unsupportedValue } from '../status/causes.ts'
import { checkDefault } from './check-default.ts'
import { checkListType } from './check-list-type.ts'
import { checkRules } from './check-rules.ts'
import { patternProblem } from './structure/pattern.ts'
import { shapeProblems } from './schema-shape.ts'
import type { StructuralSchema } from './structure/structural-schema.ts'

/** kube-apiserver's path of a CRD schema. */
const root = 'spec.validation.openAPIV3Schema'

/**
 * Validates the schema of a CRD: structural rules, extensions, defaults, CEL rules. CEL cost is not estimated, so
 * `maxLength` and the like are not required.
 */
export function checkSchema(schema: StructuralSchema, path = root): StatusCause[] {
  const found = shapeProblems(schema, path)
  if (found.length > 0) return found
  if (schema.type === undefined) {
    found.push(requiredValue(`${path}.type`, 'must not be empty at the root'))
  } else if (schema.type !== 'object') {
    found.push(invalidValue(`${path}.type`, schema.type, 'must be object at the root'))
  }
  if (schema.additionalProperties !== undefined) {
    found.push(forbidden(`${path}.additionalProperties`, 'must not be used at the root'))
    return found
  }
  found.push(...checkTypeMeta(schema, path))
  return [...found, ...checkNode(schema, { path, correlated: true })]
}

interface Node {
  readonly path: string
  /** False within a list whose items have no identity; then `uncorrelated` is the path of that list. */
  readonly correlated: boolean
  readonly uncorrelated?: string
}

function checkNode(schema: StructuralSchema, node: Node): StatusCause[] {
  const { path } = node
  const { items, additionalProperties, properties = {} } = schema
  const found = [
    ...checkType(schema, path),
    ...checkExtensions(schema, path),
    ...checkListType(schema, path),
    ...checkCombined(schema, path),
    ...checkDefault(schema, path),
    ...checkRules(schema, path, node.correlated ? undefined : node.uncorrelated),
  ]
  if (schema.pattern !== undefined) {
    const problem = patternProblem(schema.pattern)
    const why = `must be a valid regular expression, but isn't: ${problem}`
    if (problem !== undefined) found.push(invalidValue(`${path}.pattern`, schema.pattern, why))
  }
  for (const [key, member] of Object.entries(properties)) {
    const at = `${path}.properties[${key}]`
    found.push(...typed(member, at, 'object fields'), ...checkNode(member, { ...node, path: at }))
  }
  if (isObject(additionalProperties)) {
    const at = `${path}.additionalProperties`
    found.push(...typed(additionalProperties, at, 'object fields'))
    found.push(...checkNode(additionalProperties, { ...node, path: at }))
  }
  if (items) {
    const at = `${path}.items`
    const keyed = schema['x-kubernetes-list-type'] === 'map'
    const below: Node = keyed ? node : { path: at, correlated: false, uncorrelated: path }
    found.push(...typed(items, at, 'array items'), ...checkNode(items, { ...below, path: at }))
  }
  return found
}

function typed(schema: StructuralSchema, path: string, what: string): StatusCause[] {
  const free =
    schema['x-kubernetes-int-or-string'] === true ||
    schema['x-kubernetes-preserve-unknown-fields'] === true
  if (schema.type !== undefined || free || Object.hasOwn(schema, '$ref')) return []
  return [requiredValue(`${path}.type`, `must not be empty for specified ${what}`)]
}

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string']

function checkType(schema: StructuralSchema, path: string): StatusCause[] {
  const { type, items, properties, additionalProperties, uniqueItems } = schema
  const found: StatusCause[] = []
  if (Object.hasOwn(schema, '$ref')) found.push(forbidden(`${path}.$ref`, '$ref is not supported'))
  if (type !== undefined && !types.includes(type)) {
    found.push(unsupportedValue(`${path}.type`, type, types))
  }
  if (type === 'array' && !items) found.push(requiredValue(`${path}.items`, 'must be specified'))
  if (properties && isObject(additionalProperties)) {
    const why = 'additionalProperties and properties are mutual exclusive'
    found.push(forbidden(`${path}.additionalProperties`, why))
  }
  if (uniqueItems === true) {
    const why = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'
    found.push(forbidden(`${path}.uniqueItems`, why))
  }
  return found
}

function checkExtensions(schema: StructuralSchema, path: string): StatusCause[] {
  const found: StatusCause[] = []
  const preserve: unknown = schema['x-kubernetes-preserve-unknown-fields']
  if (preserve === false) {
    const at = `${path}.x-kubernetes-preserve-unknown-fields`
    found.push(invalidValue(at, false, 'must be true or undefined'))
  }
  if (schema['x-kubernetes-embedded-resource'] === true) {
    if (schema.type !== undefined && schema.type !== 'object') {
      const why = 'must be object if x-kubernetes-embedded-resource is true'
      found.push(invalidValue(`${path}.type`, schema.type, why))
    }
    if (schema.properties === undefined && preserve !== true) {
      const why =
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields'
      found.push(requiredValue(`${path}.properties`, why))
    }
  }
  return found
}

/** Schemas below allOf and the like only validate values: no types, defaults or extensions. */
function checkCombined(schema: StructuralSchema, path: string): StatusCause[] {
  const branches = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((word) =>
    (schema[word] ?? []).map((branch, i) => ({ branch, at: `${path}.${word}[${i}]` })),
  )
  if (schema.not) branches.push({ branch: schema.not, at: `${path}.not` })
  const intOrString = schema['x-kubernetes-int-or-string'] === true
  return branches.flatMap(({ branch, at }) => checkBranch(branch, at, intOrString))
}

const mustBeEmpty = ['description', 'type', 'x-kubernetes-validations'] as const
const mustBeUndefined = ['default', 'additionalProperties'] as const

function checkBranch(branch: StructuralSchema, path: string, intOrString: boolean): StatusCause[] {
  const found: StatusCause[] = []
  for (const word of mustBeEmpty) {
    // Plain OpenAPI for "integer or string" is allowed.
    if (branch[word] === undefined || (word === 'type' && intOrString)) continue
    found.push(forbidden(`${path}.${word}`, 'must be empty to be structural'))
  }
  for (const word of mustBeUndefined) {
    if (branch[word] === undefined) continue
    found.push(forbidden(`${path}.${word}`, 'must be undefined to be structural'))
  }
  const below = Object.entries(branch.properties ?? {}).flatMap(([key, member]) =>
    checkBranch(member, `${path}.properties[${key}]`, false),
  )
  const items = branch.items ? checkBranch(branch.items, `${path}.items`, false) : []
  return [...found, ...below, ...items, ...checkCombined(branch, path)]
}

/** apiVersion, kind and metadata can be restricted, but not redefined. */
function checkTypeMeta(schema: StructuralSchema, path: string): StatusCause[] {
  const found: StatusCause[] = []
  for (const key of ['apiVersion', 'kind'] as const) {
    const type = schema.properties?.[key]?.type
    if (type === undefined || type === 'string') continue
    found.push(invalidValue(`${path}.properties[${key}].type`, type, 'must be string'))
  }
  const metadata = schema.properties?.['metadata']
  if (!metadata) return found
  if (metadata.type !== undefined && metadata.type !== 'object') {
    found.push(invalidValue(`${path}.properties[metadata].type`, metadata.type, 'must be object'))
  }
  const more = Object.keys(metadata.properties ?? {}).filter(
    (key) => key !== 'name' && key !== 'generateName',
  )
  if (more.length > 0) {
    const why =
      'must not specify anything other than name and generateName, but metadata is implicitly specified'
    found.push(forbidden(`${path}.properties[metadata]`, why))
  }
  return found
}
