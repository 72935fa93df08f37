import type { Random } from '@machinist/core/random'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { UserInfo } from '../identity/user-info.ts'
import type { StatusCause } from '../status/status-error.ts'

/** An object as it is on the wire. */
export interface ApiObject extends KubeObject {
  [field: string]: unknown
}

/** Context of a write for the rules of a kind. */
export interface WriteContext {
  /** The writing user; absent for the server's own writes. */
  readonly user?: UserInfo
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly random: Random
  /** `status`, `approval`, …; absent for the object itself. */
  readonly subresource?: string
  /** All stored objects of the same kind, in all namespaces. */
  readonly siblings: () => readonly ApiObject[]
}

export type NameRule = 'subdomain' | 'label' | 'service' | 'path-segment'

/** Differences between kinds, as data and pure functions. Functions modify the given (new) object. */
export interface KindRules {
  /** Default: DNS subdomain. */
  readonly nameRule?: NameRule
  /** metadata.generation counts changes outside metadata and status. Always on for custom resources. */
  readonly generation?: boolean
  /** An update must have a resourceVersion. Always on for custom resources. */
  readonly requiresResourceVersion?: boolean
  /** A PUT creates the object if it does not exist. */
  readonly allowsCreateOnUpdate?: boolean
  /** A create keeps the status, as for a kubelet's Node. */
  readonly keepsStatusOnCreate?: boolean
  /** Writes are serialized, because the objects share a resource such as an address range. */
  readonly serialized?: boolean
  /** Defaulting: on every write. */
  readonly complete?: (object: ApiObject) => void
  /** Sets fields of a new object. */
  readonly prepareForCreate?: (object: ApiObject, writeContext: WriteContext) => void
  /** Restores or sets fields on an update, through any subresource. */
  readonly prepareForUpdate?: (
    object: ApiObject,
    before: ApiObject,
    writeContext: WriteContext,
  ) => void
  readonly validate?: (
    object: ApiObject,
    before: ApiObject | undefined,
    writeContext: WriteContext,
  ) => readonly StatusCause[]
  /** Grace period of a deletion in seconds, such as the time for a kubelet to stop a pod. */
  readonly grace?: (object: ApiObject, requested: number | undefined) => number
  /** A deletion returns the object instead of a Status. */
  readonly returnsDeleted?: boolean
  /** Custom deletion: the object stays while `held` is true. */
  readonly deletion?: DeletionRules
  /** Serves the objects of another group with other field names (events.k8s.io). */
  readonly view?: KindView
}

export interface DeletionRules {
  readonly mark: (object: ApiObject, now: string) => void
  readonly held: (object: ApiObject) => boolean
}

export interface KindView {
  readonly group: string
  readonly plural: string
  readonly toView: (fromView: ApiObject) => ApiObject
  readonly fromView: (toView: ApiObject) => ApiObject
}
