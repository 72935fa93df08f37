import type { Field, Message } from '../protobuf/message-text.ts'
import { allFields, messageNamed, messageOfKind } from '../protobuf/messages.ts'
import type { StructuralSchema } from '../schema/structure/structural-schema.ts'

/**
 * The fields of a built-in kind as a structural schema, for pruning and unknown fields. Nothing is required and
 * everything is nullable, as in Go's decoder; the rules of the kind validate the rest.
 */
export function builtInStructuralSchema(
  apiVersion: string,
  kind: string,
): StructuralSchema | undefined {
  const message = messageOfKind(apiVersion, kind)
  if (!message) return undefined
  const { properties, ...rest } = messageSchema(message)
  const type = { type: 'string', nullable: true } as const
  return { ...rest, properties: { apiVersion: type, kind: type, ...properties } }
}

/** Each message is converted once and shared by all its references. */
const made = new Map<string, StructuralSchema>()

function messageSchema(message: Message): StructuralSchema {
  const known = made.get(message.name)
  if (known) return known
  const schema: StructuralSchema = {
    type: 'object',
    nullable: true,
    properties: Object.fromEntries(
      allFields(message).map((field) => [field.name, fieldSchema(field)]),
    ),
  }
  made.set(message.name, schema)
  return schema
}

function fieldSchema({ shape, type }: Field): StructuralSchema {
  const one = typeSchema(type)
  if (shape === 'list') return { type: 'array', nullable: true, items: one }
  return shape === 'map' ? { type: 'object', nullable: true, additionalProperties: one } : one
}

function typeSchema(type: string): StructuralSchema {
  // A recursive schema cannot be expressed here; check-crd.ts validates it.
  if (type === 'apiextensions.JSONSchemaProps') return anything
  const plain = plainTypes[type]
  if (plain) return { ...plain, nullable: true }
  const message = messageNamed(type)!
  if (message.role !== 'either') return messageSchema(message)
  const [only, ...others] = message.fields.values()
  return others.length === 0 ? fieldSchema(only!) : anything
}

const anything: StructuralSchema = { nullable: true, 'x-kubernetes-preserve-unknown-fields': true }

const plainTypes: Readonly<Record<string, StructuralSchema>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number' },
  bytes: { type: 'string', format: 'byte' },
  // A number or a string like 500m.
  Quantity: anything,
  IntOrString: { 'x-kubernetes-int-or-string': true },
  Time: { type: 'string', format: 'date-time' },
  MicroTime: { type: 'string', format: 'date-time' },
  FieldsV1: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  JSON: anything,
}
