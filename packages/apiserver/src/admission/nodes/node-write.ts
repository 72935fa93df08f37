import type { ApiObject } from '../../kinds/kind-rules.ts'
import type { AdmissionRequest } from '../admission-request.ts'

/** Reads an object of the core group that the request references; throws a StatusError if it does not exist. */
export type FindObject = (kind: 'Pod' | 'Node', namespace: string, name: string) => ApiObject

/** A write by a kubelet: the Node, the request, and a lookup for other objects. */
export interface NodeWrite {
  readonly node: string
  readonly request: AdmissionRequest
  readonly find: FindObject
}
