import type { Logger } from '@machinist/core/log'
import type { PolicyCheck } from '../../admission/admission-request.ts'
import type { Credentials } from '../../authentication/authenticator.ts'
import type { UserInfo } from '../../identity/user-info.ts'
import type { Attributes } from '../../authorization/attributes.ts'
import type { AuthorizationDecision } from '../../authorization/authorizer.ts'
import type { Discovery } from '../../discovery/discovery.ts'
import type { ApiObject } from '../../kinds/kind-rules.ts'
import type { ServedKind } from '../../kinds/served-kind.ts'
import type { StatusError } from '../../status/status-error.ts'
import type { Target, VerbContext } from '../../verbs/verb-context.ts'
import type { WatchCache } from '../../watch/watch-cache.ts'
import type { ApiResponse } from './response.ts'
import type { AuditSink } from './audit.ts'
import type { Shapes } from './object-shapes.ts'
import type { RequestMetrics } from './request-metrics.ts'
import type { WatchViews } from './watch-views.ts'

/** Dependencies of the HTTP handlers. */
export interface ApiParts {
  readonly verbs: VerbContext
  readonly cache: WatchCache
  readonly discovery: Discovery
  readonly authenticator: Authenticator
  readonly authorizer: { allowed(user: UserInfo, attributes: Attributes): AuthorizationDecision }
  /** Kinds that are answered and never stored: reviews and tokens. Undefined for other kinds. */
  readonly reviews: Reviews
  readonly admission?: Admission
  /** Checks a write against the admission policies. */
  readonly policies?: PolicyCheck
  readonly shapes: Shapes
  readonly views: WatchViews
  readonly protobuf?: ProtobufReader
  readonly pages?: readonly Page[]
  readonly version: VersionInfo
  readonly ready: () => boolean
  readonly metrics: RequestMetrics
  /** Receives every finished request; default: no audit. */
  readonly audit?: AuditSink
  readonly log: Logger
}

export interface Authenticator {
  authenticate(credentials: Credentials): UserInfo | StatusError
}

/** Throws a StatusError if the user must not write this object, regardless of verb permissions. */
export type Admission = (write: AdmittedWrite) => void

export interface AdmittedWrite {
  readonly user: UserInfo
  readonly after: ApiObject
  readonly before: ApiObject | undefined
  readonly subresource: string | undefined
}

export interface ReviewRequest {
  readonly target: Target
  readonly object: ApiObject
  readonly user: UserInfo
}

export interface Reviews {
  answer(request: ReviewRequest): Promise<ApiObject | undefined> | ApiObject | undefined
}

export interface TableOptions {
  readonly kind: ServedKind
  readonly objects: readonly ApiObject[]
  /** The `includeObject` parameter. */
  readonly includeObject: string
  readonly now: number
  readonly version: string
  /** Only the first event of a watch has columns. */
  readonly withColumns: boolean
  readonly metadata: Record<string, unknown>
}

/** Converts objects to the tables of `kubectl get`. */
export interface Tables {
  table(options: TableOptions): Record<string, unknown>
}

export interface ProtobufReader {
  read(bytes: Uint8Array, kind: ServedKind): unknown
}

/** A non-resource page, such as an OpenAPI document. */
export interface Page {
  /** Paths for the index at `/`. */
  readonly paths: readonly string[]
  /** Returns false if the path belongs to another page. */
  answer(path: string, query: URLSearchParams, answer: ApiResponse): boolean
}

export interface VersionInfo {
  readonly major: string
  readonly minor: string
  readonly gitVersion: string
}
