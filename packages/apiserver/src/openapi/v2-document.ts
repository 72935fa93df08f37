import type { ServedKind } from '../kinds/served-kind.ts'
import { addCustomKind } from './custom-schema.ts'
import type { Operation } from './operations.ts'
import { pathsOf } from './operations.ts'
import type { GroupVersionKind, OpenApiSchema } from './schema.ts'
import type { V2Schema } from './v2-schema.ts'
import { v2Schema } from './v2-schema.ts'

/** `/openapi/v2`, as far as clients read it. */
export interface V2Document {
  readonly swagger: '2.0'
  readonly info: { readonly title: string; readonly version: string }
  readonly paths: Readonly<Record<string, { readonly patch: V2Operation }>>
  readonly definitions: Readonly<Record<string, V2Schema>>
}

export interface V2Operation {
  readonly parameters: readonly V2Parameter[]
  readonly responses: Readonly<Record<string, { readonly description: string }>>
  readonly 'x-kubernetes-group-version-kind': GroupVersionKind
}

export interface V2Parameter {
  readonly name: string
  readonly in: 'query'
  readonly type: string
}

/**
 * For clients without `/openapi/v3` support: kubectl before 1.27 and many operators. Only custom kinds have fields
 * here. Clients know the built-in kinds, and would treat lists without merge keys as atomic.
 */
export function v2Document(kinds: readonly ServedKind[]): V2Document {
  const schemas: Record<string, OpenApiSchema> = {}
  for (const kind of kinds) if (!kind.builtIn) addCustomKind(schemas, kind)
  const paths = kinds.flatMap((kind) => Object.entries(pathsOf(kind, undefined)))
  const patched = paths.flatMap(([path, { patch }]) =>
    patch ? [[path, { patch: operationOf(patch) }] as const] : [],
  )
  const definitions = Object.entries(schemas).map(([name, each]) => [name, v2Schema(each)] as const)
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: 'v1.32' },
    paths: Object.fromEntries(patched),
    definitions: Object.fromEntries(definitions),
  }
}

/** Only patches: kubectl derives dry-run support from their parameters. */
const operationOf = ({ parameters = [], ...patch }: Operation): V2Operation => ({
  parameters: parameters.map(({ name, in: place, schema: { type } }) => ({
    name,
    in: place,
    type,
  })),
  responses: { '200': { description: 'OK' } },
  'x-kubernetes-group-version-kind': patch['x-kubernetes-group-version-kind'],
})
