import type { Cause } from '../refusal.ts'
import { Refusal } from '../refusal.ts'
import type { KubeObject } from '@machinist/core/resource'

/** The part of a request's query that both lists and watches have. Empty texts count as absent. */
export interface VersionQuery {
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: string
  readonly continue?: string
  readonly sendInitialEvents?: boolean
}

export interface ListQuery extends VersionQuery {
  /** None or 0: all. */
  readonly limit?: number
  /** Label and field selectors. */
  readonly select?: Select
}

export interface WatchQuery extends VersionQuery {
  readonly select?: Select
  readonly allowWatchBookmarks?: boolean
  /** After this the watch ends by itself; never where absent. */
  readonly timeoutMs?: number
}

export type Select = (object: KubeObject) => boolean

/** Throws what kube-apiserver answers to combinations that mean nothing. */
export function checkListQuery(query: VersionQuery): void {
  const { resourceVersion, resourceVersionMatch: match } = query
  const causes: Cause[] = []
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
  refuseFor(causes)
}

/**
 * The same for a watch; and says whether it begins with what is there. A watch that names no version (or 0) does, even if
 * it does not ask for it.
 */
export function checkWatchQuery(query: VersionQuery): { readonly initialEvents: boolean } {
  const { resourceVersion, sendInitialEvents, resourceVersionMatch: match } = query
  const anyVersion = !resourceVersion || resourceVersion === '0'
  const implied = anyVersion && sendInitialEvents === undefined && !match
  const causes: Cause[] = []
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
  refuseFor(causes)
  return { initialEvents: implied || sendInitialEvents === true }
}

const forbidden = (field: string, why: string): Cause => ({
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${why}`,
  field,
})

const forbiddenMatch = (why: string): Cause =>
  forbidden('resourceVersionMatch', `resourceVersionMatch ${why}`)

const unsupportedMatch = (given: string, supported: string): Cause => ({
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${JSON.stringify(given)}: supported values: ${supported}`,
  field: 'resourceVersionMatch',
})

/** Like `invalid`, but for something that has no name. */
function refuseFor(causes: readonly Cause[]): void {
  if (causes.length === 0) return
  const said = causes.map(({ field, message }) => `${field}: ${message}`)
  const list = said.length === 1 ? said[0]! : `[${said.join(', ')}]`
  throw new Refusal(422, 'Invalid', `ListOptions.meta.k8s.io "" is invalid: ${list}`, {
    group: 'meta.k8s.io',
    kind: 'ListOptions',
    causes,
  })
}
