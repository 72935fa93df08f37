import type { Field, Message } from '../protobuf/message-text.ts'
import { allFields, messageNamed, messageOfKind, openApiName } from '../protobuf/messages.ts'
import type { OpenApiSchema } from './schema.ts'
import { refersTo } from './schema.ts'

/** Adds the schema of a built-in kind with its references, and returns its name; undefined if it is unknown. */
export function addBuiltInKind(
  schemas: Record<string, OpenApiSchema>,
  apiVersion: string,
  kind: string,
): string | undefined {
  const message = messageOfKind(apiVersion, kind)
  if (!message) return undefined
  addMessage(schemas, message)
  const name = openApiName(message.name)
  const { properties, ...rest } = schemas[name]!
  const [version, group = ''] = apiVersion.split('/').toReversed()
  schemas[name] = {
    ...rest,
    properties: { apiVersion: { type: 'string' }, kind: { type: 'string' }, ...properties },
    'x-kubernetes-group-version-kind': [{ group, version: version!, kind }],
  }
  return name
}

/** Adds the ObjectMeta schema and returns its name. */
export function addObjectMeta(schemas: Record<string, OpenApiSchema>): string {
  addMessage(schemas, messageNamed('meta.ObjectMeta')!)
  return openApiName('meta.ObjectMeta')
}

function addMessage(schemas: Record<string, OpenApiSchema>, message: Message): void {
  const name = openApiName(message.name)
  if (schemas[name]) return
  // Registered before its fields: JSONSchemaProps contains itself.
  schemas[name] = {}
  const fields = allFields(message)
  for (const { type } of fields) addType(schemas, type)
  if (message.role === 'either') return
  const required = fields.filter((field) => field.required).map(({ name }) => name)
  schemas[name] = {
    type: 'object',
    ...(required.length === 0 ? {} : { required: required.sort() }),
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
  }
}

function addType(schemas: Record<string, OpenApiSchema>, type: string): void {
  const special = specialTypes[type]
  const message = messageNamed(type)
  if (special) schemas[special.component] = special.schema
  else if (message && message.name !== extraValue) addMessage(schemas, message)
}

function fieldSchema({ shape, type }: Field): OpenApiSchema {
  const one = typeSchema(type)
  if (shape === 'list') return { type: 'array', items: one }
  return shape === 'map' ? { type: 'object', additionalProperties: one } : one
}

function typeSchema(type: string): OpenApiSchema {
  const scalar = scalars[type]
  if (scalar) return scalar
  const special = specialTypes[type]
  if (special) return refersTo(special.component)
  if (type === extraValue) return { type: 'array', items: { type: 'string' } }
  return refersTo(openApiName(type))
}

/** A list; only protobuf needs the wrapper message, for lists in a map. */
const extraValue = 'meta.ExtraValue'

const scalars: Readonly<Record<string, OpenApiSchema>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
}

/** Messages that have another form in JSON. */
const specialTypes: Readonly<Record<string, { component: string; schema: OpenApiSchema }>> = {
  Quantity: {
    component: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
    schema: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  },
  IntOrString: {
    component: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
    schema: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  },
  Time: { component: openApiName('meta.Time'), schema: { type: 'string', format: 'date-time' } },
  MicroTime: {
    component: openApiName('meta.MicroTime'),
    schema: { type: 'string', format: 'date-time' },
  },
  FieldsV1: { component: openApiName('meta.FieldsV1'), schema: { type: 'object' } },
  JSON: { component: openApiName('apiextensions.JSON'), schema: {} },
}
