import { isObject, jsonOrUndefined } from '@machinist/core/encoding/json'
import type { Node } from '@machinist/kube/kinds/core'
import { drainVerbs, nodeAnnotations, ownNodeAnnotations } from '../../api/annotations.ts'
import { isCordoned, pendingRequest } from './request.ts'

/**
 * The state of a drain that must survive restarts and leader changes. It is written to the node in the same patch as the cordon,
 * and removed with the acknowledgement of the uncordon.
 */
export interface DrainRecord {
  /** The value of desiredDrain. */
  readonly request: string
  /** The start of the drain in milliseconds since the epoch. */
  readonly since: number
  /** The node was already cordoned by a user. */
  readonly cordonedBefore: boolean
}

/** An invalid record counts as missing: the drain then starts again, which is safe. */
export function recordOf(node: Readonly<Node>): DrainRecord | undefined {
  const text = node.metadata.annotations?.[ownNodeAnnotations.drain]
  if (text === undefined) return undefined
  const read = jsonOrUndefined(text)
  if (!isObject(read)) return undefined
  const { request, since, cordonedBefore } = read
  const began = typeof since === 'string' ? Date.parse(since) : NaN
  if (typeof request !== 'string' || Number.isNaN(began)) return undefined
  return { request, since: began, cordonedBefore: cordonedBefore === true }
}

/** The record of the pending drain, if the node is cordoned for it. */
export function cordonedRecord(node: Readonly<Node>): DrainRecord | undefined {
  const request = pendingRequest(node)
  const record = recordOf(node)
  const holds = request?.verb === 'drain' && record?.request === request.value && isCordoned(node)
  return holds ? record : undefined
}

export function recordText({ request, since, cordonedBefore }: DrainRecord): string {
  const when = new Date(since).toISOString()
  return JSON.stringify({ request, since: when, ...(cordonedBefore && { cordonedBefore }) })
}

/**
 * The record of a new or continued drain. A continued drain keeps its start time, even if a user uncordoned the node meanwhile.
 */
export function recordFor(node: Readonly<Node>, request: string, now: number): DrainRecord {
  const before = recordOf(node)
  const since = before?.request === request ? Math.min(before.since, now) : now
  return { request, since, cordonedBefore: isCordoned(node) && isUserCordon(node, before) }
}

/** Whether a user cordoned the node: neither the current drain nor an earlier one without an uncordon did. */
function isUserCordon(node: Readonly<Node>, before: DrainRecord | undefined): boolean {
  const annotations = node.metadata.annotations ?? {}
  if (before) return before.cordonedBefore
  const lastApplied = annotations[nodeAnnotations.lastAppliedDrain] ?? ''
  return !lastApplied.startsWith(`${drainVerbs.drain}-`)
}
