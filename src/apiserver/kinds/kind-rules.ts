import type { KubeObject } from '../../base/resource.ts'
import type { Cause } from '../refusal.ts'

/** An object as it is on the wire. */
export interface ApiObject extends KubeObject {
  [field: string]: unknown
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
  /** Fields that clients expect to see although nobody set them: on every write. */
  readonly complete?: (object: ApiObject) => void
  /** What only a new object gets. */
  readonly begin?: (object: ApiObject) => void
  /** Fields that an update keeps from before although the client left them out. */
  readonly keep?: (object: ApiObject, before: ApiObject) => void
  readonly validate?: (object: ApiObject, before: ApiObject | undefined) => readonly Cause[]
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
