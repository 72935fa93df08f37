import type { ServedKind } from '../kinds/served-kind.ts'
import { addCustomKind } from './custom-schema.ts'
import type { Operation } from './operations.ts'
import { pathsOf } from './operations.ts'
import type { GroupVersionKind, OpenApiSchema } from './schema.ts'
import type { V2Schema } from './v2-schema.ts'
import { v2Schema } from './v2-schema.ts'

/** What `/openapi/v2` answers, as far as clients look. */
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
 * For clients that do not know `/openapi/v3`: kubectl before 1.27 and many operators. Custom kinds have their fields here. Built-in kinds
 * do not: clients know them by themselves, and would take lists for atomic for which no merge key is said.
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

/** Of the operations, patches: from their parameters kubectl knows whether a kind can be tried without effect. */
const operationOf = ({ parameters = [], ...patch }: Operation): V2Operation => ({
  parameters: parameters.map(({ name, in: place, schema: { type } }) => ({
    name,
    in: place,
    type,
  })),
  responses: { '200': { description: 'OK' } },
  'x-kubernetes-group-version-kind': patch['x-kubernetes-group-version-kind'],
})
