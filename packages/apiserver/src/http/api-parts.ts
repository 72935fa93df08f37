import type { Logger } from '@machinist/core/log'
import type { PolicyCheck } from '../admission/admission-request.ts'
import type { Credentials } from '../authentication/authenticator.ts'
import type { UserInfo } from '../authentication/user-info.ts'
import type { Attributes } from '../authorization/attributes.ts'
import type { Decision } from '../authorization/authorizer.ts'
import type { Discovery } from '../discovery/discovery.ts'
import type { ApiObject } from '../kinds/kind-rules.ts'
import type { ServedKind } from '../kinds/served-kind.ts'
import type { Refusal } from '../refusal.ts'
import type { Target, VerbContext } from '../verbs/verb-context.ts'
import type { WatchCache } from '../watch/watch-cache.ts'
import type { Answer } from './answer.ts'
import type { AuditSink } from './audit.ts'
import type { Shapes } from './object-shapes.ts'
import type { RequestMetrics } from './request-metrics.ts'
import type { WatchViews } from './watch-views.ts'

/** What the HTTP front stands on. */
export interface ApiParts {
  readonly verbs: VerbContext
  readonly cache: WatchCache
  readonly discovery: Discovery
  readonly authenticator: Authenticator
  readonly authorizer: { allowed(user: UserInfo, attributes: Attributes): Decision }
  /** Kinds that are questions and not objects: reviews, tokens. Undefined: not one of those. */
  readonly reviews: Reviews
  readonly admission?: Admission
  /** Holds a write against the admission policies. */
  readonly policies?: PolicyCheck
  readonly shapes: Shapes
  readonly views: WatchViews
  readonly protobuf?: ProtobufReader
  readonly pages?: readonly Page[]
  readonly version: VersionInfo
  readonly ready: () => boolean
  readonly metrics: RequestMetrics
  /** Hears of every request; nobody does unless given. */
  readonly audit?: AuditSink
  readonly log: Logger
}

export interface Authenticator {
  authenticate(credentials: Credentials): UserInfo | Refusal
}

/** Throws a Refusal when somebody may not write such an object, whatever verbs they have. */
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
  /** What a row shows of its object. */
  readonly includeObject: string
  readonly now: number
  readonly version: string
  /** Columns are said only once in a watch. */
  readonly withColumns: boolean
  readonly metadata: Record<string, unknown>
}

/** `kubectl get`'s view of objects. */
export interface Tables {
  table(options: TableOptions): Record<string, unknown>
}

export interface ProtobufReader {
  read(bytes: Uint8Array, kind: ServedKind): unknown
}

/** Something beside the resources, such as an OpenAPI document. */
export interface Page {
  /** What it answers, for the list of all paths. */
  readonly paths: readonly string[]
  /** Answers, or leaves it to others. */
  answer(path: string, query: URLSearchParams, answer: Answer): boolean
}

export interface VersionInfo {
  readonly major: string
  readonly minor: string
  readonly gitVersion: string
}
