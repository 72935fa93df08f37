import type { StructuralSchema } from '../schema/structure/structural-schema.ts'
import type { KindRules } from './kind-rules.ts'

/** A resource that the server serves, built-in or defined by a CRD. */
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
  /** Columns of `kubectl get` after NAME. */
  readonly columns: readonly Column[]
  /** Set for custom resources, and for built-in kinds with known fields. */
  readonly schema?: StructuralSchema
  /** The storage version of a custom resource, and the schemas of all versions by apiVersion. */
  readonly storage?: StoredVersions
  /** Warning for clients of a deprecated version. */
  readonly deprecation?: string
  /** Built-in kinds support strategic merge patches; custom resources do not. */
  readonly builtIn: boolean
  /** Fields for field selectors, in addition to metadata.name and metadata.namespace. */
  readonly selectableFields: readonly SelectableField[]
  /** JSON paths of the `scale` subresource of a custom resource. */
  readonly scale?: ScalePaths
  /** The CRD is being deleted: no new objects can be created. */
  readonly terminating?: boolean
  /** Special rules of the kind. */
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
  /** The kind of request and response if it is not the resource's own: Scale, Eviction, Binding, TokenRequest. */
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
  /** 0 is always visible, others only with `-o wide`. */
  readonly priority: number
  /** The cell of an object: a JSONPath for custom resources, a function for built-in kinds. */
  readonly cell: string | ((object: Readonly<Record<string, unknown>>, now: number) => unknown)
}

export interface SelectableField {
  readonly path: string
  readonly read: (object: Readonly<Record<string, unknown>>) => string
}
