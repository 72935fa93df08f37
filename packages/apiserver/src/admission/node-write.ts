import type { ApiObject } from '../kinds/kind-rules.ts'
import type { AdmissionRequest } from './admission-request.ts'

/** Reads an object of the core group that the request refers to; throws the refusal of a read where there is none. */
export type FindObject = (kind: 'Pod' | 'Node', namespace: string, name: string) => ApiObject

/** A write of a node: the request, who asks, and where to look. */
export interface NodeWrite {
  readonly node: string
  readonly request: AdmissionRequest
  readonly find: FindObject
}
