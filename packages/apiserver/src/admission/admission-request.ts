import type { UserInfo } from '../authentication/user-info.ts'
import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'

/** One write of a client, just before it is stored. */
export interface AdmissionRequest {
  readonly user: UserInfo
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE'
  /** The resource, also where one of its subresources is written. */
  readonly kind: ServedKind
  readonly subresource?: string
  /** What is written: the kind itself, or that of the subresource (Scale, Eviction, TokenRequest). */
  readonly objectKind: GroupVersionKind
  /** Empty where a whole collection is deleted. */
  readonly name: string
  /** Empty outside namespaces. A namespace is in itself. */
  readonly namespace: string
  readonly dryRun: boolean
  /** CreateOptions, UpdateOptions or DeleteOptions as JSON. */
  readonly options: Readonly<Record<string, unknown>>
  /** What shall be stored; absent for a deletion. */
  readonly object?: ApiObject
  /** What is stored; absent for a creation. */
  readonly before?: ApiObject
  /** Tells the client something that is not an error. */
  readonly warn: (text: string) => void
}

export interface GroupVersionKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** Looks at a write; throws a Refusal when a policy denies it. */
export type PolicyCheck = (request: AdmissionRequest) => void
