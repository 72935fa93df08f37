import type { StructuralSchema } from '../schema/structural-schema.ts'
import type { KindRules } from './kind-rules.ts'

/** Everything the server knows about one resource that it serves, built in or defined by a CRD. */
export interface ServedKind {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly listKind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  readonly verbs: readonly Verb[]
  readonly subresources: readonly ServedSubresource[]
  /** Columns of `kubectl get` between NAME and what the table adds by itself. */
  readonly columns: readonly Column[]
  /** Present for custom resources, and for built-in kinds as far as their fields are known. */
  readonly schema?: StructuralSchema
  /** In which version a custom resource is stored, and the schemas of all versions by apiVersion. */
  readonly storage?: StoredVersions
  /** What clients of a version are told that should no longer be used. */
  readonly deprecation?: string
  /** Built-in kinds take strategic merge patches; custom resources refuse them. */
  readonly builtIn: boolean
  /** Fields beside metadata.name and metadata.namespace that a field selector may name. */
  readonly selectableFields: readonly SelectableField[]
  /** Where a custom resource keeps what its `scale` subresource shows. */
  readonly scale?: ScalePaths
  /** The CRD of this kind is being deleted: its objects go, and no new ones are made. */
  readonly terminating?: boolean
  /** What this kind does differently from a plain object. */
  readonly rules?: KindRules
}

export interface StoredVersions {
  readonly apiVersion: string
  readonly schemas: Readonly<Record<string, StructuralSchema | undefined>>
}

export interface ScalePaths {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

export type Verb =
  'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch'

export interface ServedSubresource {
  readonly name: 'status' | 'scale' | 'eviction' | 'binding' | 'approval' | 'token' | 'finalize'
  readonly verbs: readonly Verb[]
  /** The kind that goes in and out where it is not the resource's own: Scale, Eviction, Binding, TokenRequest. */
  readonly responseKind?: {
    readonly group: string
    readonly version: string
    readonly kind: string
  }
}

export interface Column {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly format?: string
  readonly description?: string
  /** 0 always shows, more only with `-o wide`. */
  readonly priority: number
  /** The cell of an object: a JSONPath for custom resources, a function for built-in kinds. */
  readonly cell: string | ((object: Readonly<Record<string, unknown>>, now: number) => unknown)
}

export interface SelectableField {
  readonly path: string
  readonly read: (object: Readonly<Record<string, unknown>>) => string
}
