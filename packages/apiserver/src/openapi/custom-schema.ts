import type { ServedKind } from '../kinds/served-kind.ts'
import { addObjectMeta } from './built-in-schemas.ts'
import type { OpenApiSchema } from './schema.ts'
import { refersTo } from './schema.ts'

/** Adds the schema of a custom kind and returns its name, e.g. `com.example.stable.v1.CronTab`. */
export function addCustomKind(schemas: Record<string, OpenApiSchema>, kind: ServedKind): string {
  const { group, version, schema = {} } = kind
  const name = [...group.split('.').toReversed(), version, kind.kind].join('.')
  schemas[name] = {
    type: 'object',
    ...(schema as OpenApiSchema),
    properties: {
      ...(schema as OpenApiSchema).properties,
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: refersTo(addObjectMeta(schemas)),
    },
    'x-kubernetes-group-version-kind': [{ group, version, kind: kind.kind }],
  }
  return name
}
