import type { CertificateSigningRequest } from '@machinist/kube/kinds/certificates'
import type { Node } from '@machinist/kube/kinds/core'
import type { Claim } from './claim.ts'
import type { Refusal } from './refusals.ts'

/** Everything that determines whether a pending request is approved. */
export interface RequestFacts {
  readonly request: Readonly<CertificateSigningRequest>
  readonly reading: Claim | Refusal
  readonly createdAt: number
  readonly now: number
  /** The number of pending requests, and the number of Nodes. */
  readonly waiting: number
  readonly nodes: number
  /** The name of a newer request for the same certificate. */
  readonly newer: string | undefined
  readonly node: Readonly<Node> | undefined
  /** Other owners of the requested names: another Node, or the Service of the API server. */
  readonly sharers: readonly Sharer[]
  /** The result of the access review; absent: it was not requested yet. */
  readonly isAllowed?: boolean
}

export interface Sharer {
  readonly name: string
  readonly owner: string
}
