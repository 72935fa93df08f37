import type { Clock } from '@machinist/core/clock'
import type { Random } from '@machinist/core/random'
import type { UserInfo } from '../identity/user-info.ts'
import type { ApiObject } from '../kinds/kind-rules.ts'
import type { KindRegistry } from '../kinds/kind-registry.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import type { StatusCause } from '../status/status-error.ts'
import type { Store } from '../store/store.ts'

/** Dependencies of every verb. */
export interface VerbContext {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly kinds: KindRegistry
  readonly schemas: ObjectSchemas
  readonly patcher: Patcher
  readonly fields: FieldTracker
}

/** The object (or, without a name, the collection) of a request. */
export interface Target {
  readonly kind: ServedKind
  readonly namespace?: string
  readonly name?: string
  readonly subresource?: string
}

export interface WriteOptions {
  readonly dryRun: boolean
  /** Absent for the server's own writes. */
  readonly user?: UserInfo
  readonly fieldManager: string
  readonly fieldValidation: 'Ignore' | 'Warn' | 'Strict'
  /** Sends a warning to the client. */
  readonly warn: (text: string) => void
  /** Checks the object to be stored; throws a StatusError if this client must not write it. */
  readonly admit?: (after: ApiObject, before: ApiObject | undefined) => void
}

/** For the server's own writes. */
export const ownWrite: WriteOptions = {
  dryRun: false,
  fieldManager: 'kube-apiserver',
  fieldValidation: 'Ignore',
  warn: () => {},
}

/** Schema operations of a kind. */
export interface ObjectSchema {
  /** Removes unknown fields and lists their paths. */
  prune(object: ApiObject): { readonly object: ApiObject; readonly unknown: readonly string[] }
  complete(object: ApiObject): ApiObject
  validate(
    object: ApiObject,
    before: ApiObject | undefined,
    subresource: string | undefined,
  ): readonly StatusCause[]
}

export interface ObjectSchemas {
  /** Undefined if nothing is known about the fields of the kind. */
  of(kind: ServedKind): ObjectSchema | undefined
}

export interface PatchRequest {
  readonly kind: ServedKind
  /** `application/merge-patch+json` and the like, without parameters. */
  readonly mediaType: string
  readonly body: unknown
  /** Absent if an apply creates the object. */
  readonly current: ApiObject | undefined
  readonly subresource: string | undefined
  readonly fieldManager: string
  readonly force: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface Patcher {
  knows(mediaType: string): boolean
  /** The patch types that a kind supports. */
  accepts(kind: ServedKind): readonly string[]
  /** The patched object. */
  apply(request: PatchRequest): ApiObject
  /** Whether a patch of this type can create the object. */
  creates(mediaType: string): boolean
}

export interface FieldWrite {
  readonly kind: ServedKind
  readonly before: ApiObject | undefined
  readonly after: ApiObject
  readonly manager: string
  readonly subresource: string | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Maintains metadata.managedFields. */
export interface FieldTracker {
  updated(write: FieldWrite): ApiObject
}
