import type { Clock } from '@machinist/core/clock'
import type { Random } from '@machinist/core/random'
import type { UserInfo } from '../authentication/user-info.ts'
import type { ApiObject } from '../kinds/kind-rules.ts'
import type { KindRegistry } from '../kinds/kind-registry.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import type { Cause } from '../refusal.ts'
import type { Store } from '../store/store.ts'

/** What every verb works with. */
export interface VerbContext {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly kinds: KindRegistry
  readonly schemas: ObjectSchemas
  readonly patcher: Patcher
  readonly fields: FieldTracker
}

/** Which object (or, without a name, which collection) a verb is about. */
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
  /** Tells the client something that is not an error. */
  readonly warn: (text: string) => void
  /** Looks at the object as it will be stored; throws a Refusal if this client may not write that. */
  readonly admit?: (after: ApiObject, before: ApiObject | undefined) => void
}

/** For the server's own writes. */
export const ownWrite: WriteOptions = {
  dryRun: false,
  fieldManager: 'kube-apiserver',
  fieldValidation: 'Ignore',
  warn: () => {},
}

/** How the objects of a kind must look. */
export interface ObjectSchema {
  /** The object without fields that the schema does not know, and the paths of those. */
  prune(object: ApiObject): { readonly object: ApiObject; readonly unknown: readonly string[] }
  complete(object: ApiObject): ApiObject
  validate(
    object: ApiObject,
    before: ApiObject | undefined,
    subresource: string | undefined,
  ): readonly Cause[]
}

export interface ObjectSchemas {
  /** Nothing is known about the fields of a kind without one. */
  of(kind: ServedKind): ObjectSchema | undefined
}

export interface PatchRequest {
  readonly kind: ServedKind
  /** `application/merge-patch+json` and its sisters, without parameters. */
  readonly mediaType: string
  readonly body: unknown
  /** Absent where an apply creates the object. */
  readonly current: ApiObject | undefined
  readonly subresource: string | undefined
  readonly fieldManager: string
  readonly force: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface Patcher {
  knows(mediaType: string): boolean
  /** The media types of patches that a kind takes. */
  accepts(kind: ServedKind): readonly string[]
  /** What the object shall be. */
  apply(request: PatchRequest): ApiObject
  /** Whether a patch of this type may make an object that is not there. */
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

/** Keeps metadata.managedFields: who set which field. */
export interface FieldTracker {
  updated(write: FieldWrite): ApiObject
}

/** RFC 3339 with whole seconds, as Kubernetes writes times. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}
