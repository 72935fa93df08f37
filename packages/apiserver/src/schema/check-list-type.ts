import type { StatusCause } from '../status/status-error.ts'
import { forbidden, invalidValue, requiredValue, unsupportedValue } from '../status/causes.ts'
import type { StructuralSchema } from './structure/structural-schema.ts'

const listTypes = ['atomic', 'set', 'map']
const mapTypes = ['atomic', 'granular']

/** Validates x-kubernetes-list-type, -list-map-keys and -map-type. */
export function checkListType(schema: StructuralSchema, path: string): StatusCause[] {
  return [...checkMapType(schema, path), ...checkListOf(schema, path)]
}

function checkMapType(schema: StructuralSchema, path: string): StatusCause[] {
  const { type = '', 'x-kubernetes-map-type': mapType } = schema
  if (mapType === undefined) return []
  const found: StatusCause[] = []
  if (!mapTypes.includes(mapType)) {
    found.push(unsupportedValue(`${path}.x-kubernetes-map-type`, mapType, mapTypes))
  }
  if (type !== 'object') {
    const why = 'must be object if x-kubernetes-map-type is specified'
    found.push(invalidValue(`${path}.type`, type, why))
  }
  return found
}

function checkListOf(schema: StructuralSchema, path: string): StatusCause[] {
  const { type = '', 'x-kubernetes-list-type': listType } = schema
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  const found: StatusCause[] = []
  if (keys.length > 0 && listType !== 'map') {
    const why = 'must be map if x-kubernetes-list-map-keys is non-empty'
    found.push(invalidValue(`${path}.x-kubernetes-list-type`, listType ?? null, why))
  }
  if (listType === undefined) return found
  if (!listTypes.includes(listType)) {
    found.push(unsupportedValue(`${path}.x-kubernetes-list-type`, listType, listTypes))
  }
  if (type !== 'array') {
    const why = 'must be array if x-kubernetes-list-type is specified'
    return [...found, invalidValue(`${path}.type`, type, why)]
  }
  if (listType === 'set') found.push(...checkSet(schema, path))
  if (listType === 'map') found.push(...checkMap(schema, keys, path))
  return found
}

function checkSet({ items }: StructuralSchema, path: string): StatusCause[] {
  const found: StatusCause[] = []
  if (items?.nullable === true) {
    const why = 'cannot be nullable when x-kubernetes-list-type is set'
    found.push(forbidden(`${path}.items.nullable`, why))
  }
  if (items?.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    const why = 'must be atomic as item of a list with x-kubernetes-list-type=set'
    const given = items['x-kubernetes-map-type'] ?? null
    found.push(invalidValue(`${path}.items.x-kubernetes-map-type`, given, why))
  }
  return found
}

function checkMap(
  { items }: StructuralSchema,
  keys: readonly string[],
  path: string,
): StatusCause[] {
  const at = `${path}.x-kubernetes-list-map-keys`
  if (keys.length === 0) {
    return [requiredValue(at, 'must not be empty if x-kubernetes-list-type is map')]
  }
  if (items?.type !== 'object') {
    const why = "must be object if parent array's x-kubernetes-list-type is map"
    return [invalidValue(`${path}.items.type`, items?.type ?? '', why)]
  }
  const found = keys.flatMap((key) => checkKey(items, key, keys, path))
  if (new Set(keys).size < keys.length) {
    found.push(invalidValue(at, keys, 'must not contain duplicate entries'))
  }
  return found
}

function checkKey(
  items: StructuralSchema,
  key: string,
  keys: readonly string[],
  path: string,
): StatusCause[] {
  const { properties = {}, required = [] } = items
  const member = Object.hasOwn(properties, key) ? properties[key] : undefined
  if (!member) {
    const why = 'entries must all be names of item properties'
    return [invalidValue(`${path}.x-kubernetes-list-map-keys`, keys, why)]
  }
  const at = `${path}.items.properties[${key}]`
  const found: StatusCause[] = []
  if (member.type === 'object' || member.type === 'array') {
    const why = "must be a scalar type if parent array's x-kubernetes-list-type is map"
    found.push(invalidValue(`${at}.type`, member.type, why))
  }
  if (member.nullable === true) {
    const why = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable'
    found.push(forbidden(`${at}.nullable`, why))
  }
  if (member.default === undefined && !required.includes(key)) {
    const why =
      'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property'
    found.push(requiredValue(`${at}.default`, why))
  }
  return found
}
