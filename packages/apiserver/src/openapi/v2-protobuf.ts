import { field, message, repeated } from '../protobuf/wire-writer.ts'
import type { V2Document, V2Operation, V2Parameter } from './v2-document.ts'
import type { V2Schema } from './v2-schema.ts'

/** kube-apiserver's media type. Clients request it with `@v1.0`, which newer Go releases reject in a response. */
export const v2ProtobufType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'

/** The document for clients before 1.27. Field numbers are those of gnostic's OpenAPIv2.proto. */
export function v2Protobuf({ swagger, info, paths, definitions }: V2Document): Uint8Array {
  const items = Object.entries(paths).map(([path, { patch }]) =>
    named(path, message(field(8, operation(patch)))),
  )
  return message(
    field(1, swagger),
    field(2, message(field(1, info.title), field(2, info.version))),
    field(8, repeated(2, items)),
    field(9, schemas(definitions)),
  )
}

function operation(patch: V2Operation): Uint8Array {
  const responses = Object.entries(patch.responses).map(([code, { description }]) =>
    named(code, message(field(1, message(field(1, description))))),
  )
  return message(
    repeated(8, patch.parameters.map(parameter)),
    field(9, repeated(1, responses)),
    extension(13, patch),
  )
}

/** ParametersItem → Parameter → NonBodyParameter → QueryParameterSubSchema. */
function parameter({ name, in: place, type }: V2Parameter): Uint8Array {
  const query = message(field(2, place), field(4, name), field(6, type))
  return message(field(1, message(field(2, message(field(3, query))))))
}

const schemas = (all: Readonly<Record<string, V2Schema>>): Uint8Array =>
  repeated(
    1,
    Object.entries(all).map(([name, each]) => named(name, schema(each))),
  )

function schema(each: V2Schema): Uint8Array {
  const { $ref, format, description, required, type, items, properties } = each
  const values = each.additionalProperties
  return message(
    field(1, $ref),
    field(2, format),
    field(4, description),
    repeated(19, required),
    field(21, values && message(field(1, schema(values)))),
    field(22, type && message(field(1, type))),
    field(23, items && message(field(1, schema(items)))),
    field(25, properties && schemas(properties)),
    extension(31, each),
  )
}

const gvk = 'x-kubernetes-group-version-kind'

/** Extensions are YAML, which includes JSON. */
function extension(number: number, holder: { readonly [gvk]?: unknown }): Uint8Array | undefined {
  const value = holder[gvk]
  if (value === undefined) return undefined
  return field(number, named(gvk, message(field(2, JSON.stringify(value)))))
}

const named = (name: string, value: Uint8Array): Uint8Array =>
  message(field(1, name), field(2, value))
