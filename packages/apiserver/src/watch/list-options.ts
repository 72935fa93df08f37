import type { KubeObject } from '@machinist/core/objects/resource'
import type { StatusCause } from '../status/status-error.ts'
import { StatusError } from '../status/status-error.ts'

/** Query parameters of lists and watches. Empty strings count as absent. */
export interface VersionQuery {
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: string
  readonly continue?: string
  readonly sendInitialEvents?: boolean
}

export interface ListQuery extends VersionQuery {
  /** Absent or 0: no limit. */
  readonly limit?: number
  /** Label and field selectors. */
  readonly select?: Select
}

export interface WatchQuery extends VersionQuery {
  readonly select?: Select
  readonly allowWatchBookmarks?: boolean
  /** Ends the watch after this time; default: never. */
  readonly timeoutMs?: number
}

export type Select = (object: KubeObject) => boolean

/** Throws kube-apiserver's error for invalid combinations. */
export function checkListQuery(query: VersionQuery): void {
  const { resourceVersion, resourceVersionMatch: match } = query
  const causes: StatusCause[] = []
  if (match) {
    if (!resourceVersion)
      causes.push(forbiddenMatch('is forbidden unless resourceVersion is provided'))
    if (query.continue) causes.push(forbiddenMatch('is forbidden when continue is provided'))
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      causes.push(unsupportedMatch(match, '"Exact", "NotOlderThan", ""'))
    }
    if (match === 'Exact' && resourceVersion === '0') {
      causes.push(forbiddenMatch('"exact" is forbidden for resourceVersion "0"'))
    }
  }
  if (query.sendInitialEvents !== undefined) {
    causes.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'))
  }
  throwIfAny(causes)
}

/**
 * The same for a watch; returns whether it starts with the existing objects. A watch without a version (or with 0)
 * does so even if not requested.
 */
export function checkWatchQuery(query: VersionQuery): { readonly initialEvents: boolean } {
  const { resourceVersion, sendInitialEvents, resourceVersionMatch: match } = query
  const anyVersion = !resourceVersion || resourceVersion === '0'
  const implied = anyVersion && sendInitialEvents === undefined && !match
  const causes: StatusCause[] = []
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    causes.push(
      forbidden(
        'resourceVersionMatch',
        'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
      ),
    )
  }
  if (match) {
    if (sendInitialEvents === undefined) {
      causes.push(forbiddenMatch('is forbidden for watch unless sendInitialEvents is provided'))
    }
    if (match !== 'NotOlderThan') causes.push(unsupportedMatch(match, '"NotOlderThan"'))
  }
  if ((match || implied) && query.continue) {
    causes.push(forbiddenMatch('is forbidden when continue is provided'))
  }
  throwIfAny(causes)
  return { initialEvents: implied || sendInitialEvents === true }
}

const forbidden = (field: string, why: string): StatusCause => ({
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${why}`,
  field,
})

const forbiddenMatch = (why: string): StatusCause =>
  forbidden('resourceVersionMatch', `resourceVersionMatch ${why}`)

const unsupportedMatch = (given: string, supported: string): StatusCause => ({
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${JSON.stringify(given)}: supported values: ${supported}`,
  field: 'resourceVersionMatch',
})

/** Like `invalid`, but for options without a name. */
function throwIfAny(causes: readonly StatusCause[]): void {
  if (causes.length === 0) return
  const messages = causes.map(({ field, message }) => `${field}: ${message}`)
  const list = messages.length === 1 ? messages[0]! : `[${messages.join(', ')}]`
  throw new StatusError(422, 'Invalid', `ListOptions.meta.k8s.io "" is invalid: ${list}`, {
    group: 'meta.k8s.io',
    kind: 'ListOptions',
    causes,
  })
}
