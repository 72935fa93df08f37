import type { Random } from '@machinist/core/random'
import type { KubeObject } from '@machinist/core/resource'
import type { UserInfo } from '../authentication/user-info.ts'
import type { Cause } from '../refusal.ts'

/** An object as it is on the wire. */
export interface ApiObject extends KubeObject {
  [field: string]: unknown
}

/** The circumstances of a write. */
export interface WriteScene {
  /** Who writes; absent where it is the server itself. */
  readonly user?: UserInfo
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly random: Random
  /** Through which door: `status`, `approval`, …; absent for the object itself. */
  readonly subresource?: string
  /** Everything of the same kind that is stored, in all namespaces. */
  readonly siblings: () => readonly ApiObject[]
}

export type NameRule = 'subdomain' | 'label' | 'service' | 'path-segment'

/** The small differences between kinds, as data and pure functions. Functions change the (fresh) object they are given. */
export interface KindRules {
  /** DNS subdomain where absent. */
  readonly nameRule?: NameRule
  /** metadata.generation counts changes of anything but metadata and status. Custom resources always do. */
  readonly generation?: boolean
  /** An update must name the version that it replaces. Custom resources always do. */
  readonly versionedUpdate?: boolean
  /** A PUT makes the object where it is not there yet. */
  readonly createdByUpdate?: boolean
  /** A new object may bring its status along, as a kubelet's node does. */
  readonly bornWithStatus?: boolean
  /** These objects share something scarce, so that each is written after the one before. */
  readonly oneAtATime?: boolean
  /** Fields that clients expect to see although nobody set them: on every write. */
  readonly complete?: (object: ApiObject) => void
  /** What only a new object gets. */
  readonly begin?: (object: ApiObject, scene: WriteScene) => void
  /** What an update, through whichever door, takes over from before or adds of its own accord. */
  readonly keep?: (object: ApiObject, before: ApiObject, scene: WriteScene) => void
  readonly validate?: (
    object: ApiObject,
    before: ApiObject | undefined,
    scene: WriteScene,
  ) => readonly Cause[]
  /** Seconds that an object lives on after it was deleted, e.g. for a kubelet to end a pod. */
  readonly grace?: (object: ApiObject, asked: number | undefined) => number
  /** The object that is gone is the answer to its deletion; elsewhere it is a Status. */
  readonly returnsDeleted?: boolean
  /** Deletion is more than a timestamp: the object stays for as long as `held` says so. */
  readonly ending?: Ending
  /** The same objects under another group with other field names (events.k8s.io). */
  readonly view?: KindView
}

export interface Ending {
  readonly mark: (object: ApiObject, now: string) => void
  readonly held: (object: ApiObject) => boolean
}

export interface KindView {
  readonly group: string
  readonly plural: string
  readonly shown: (stored: ApiObject) => ApiObject
  readonly stored: (shown: ApiObject) => ApiObject
}
