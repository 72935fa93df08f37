import type { UserInfo } from '../identity/user-info.ts'
import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'

/** One client write, before it is stored. */
export interface AdmissionRequest {
  readonly user: UserInfo
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE'
  /** The resource, also for a write to one of its subresources. */
  readonly kind: ServedKind
  readonly subresource?: string
  /** Kind of the written object: that of the resource, or of the subresource (Scale, Eviction, TokenRequest). */
  readonly objectKind: GroupVersionKind
  /** Empty for a deletecollection. */
  readonly name: string
  /** Empty for cluster-scoped objects. A Namespace is in the namespace of its own name. */
  readonly namespace: string
  readonly dryRun: boolean
  /** CreateOptions, UpdateOptions or DeleteOptions as JSON. */
  readonly options: Readonly<Record<string, unknown>>
  /** The object to store; absent for a deletion. */
  readonly object?: ApiObject
  /** The stored object; absent for a creation. */
  readonly before?: ApiObject
  /** Sends a warning to the client. */
  readonly warn: (text: string) => void
}

export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** Throws a StatusError if a policy denies the write. */
export type PolicyCheck = (request: AdmissionRequest) => void
