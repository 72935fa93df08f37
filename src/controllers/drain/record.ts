import { drainVerbs, nodeAnnotations, ownNodeAnnotations } from '../../api/annotations.ts'
import { isObject, jsonOrUndefined } from '@machinist/core/json'
import type { Node } from '@machinist/kube/kinds/core'
import { isCordoned } from './request.ts'

/**
 * What has to survive a restart and a change of leaders. It is written to the node in the same patch as the cordon, and
 * taken away with the acknowledgement of the uncordon.
 */
export interface DrainRecord {
  /** The request that it belongs to. */
  readonly request: string
  /** When the drain began: milliseconds since the epoch. */
  readonly since: number
  /** Somebody else had cordoned the node before. */
  readonly cordonedBefore: boolean
}

/** What is not ours, or damaged, counts as not there: the drain then begins anew, which harms nobody. */
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

export function recordText({ request, since, cordonedBefore }: DrainRecord): string {
  const when = new Date(since).toISOString()
  return JSON.stringify({ request, since: when, ...(cordonedBefore && { cordonedBefore }) })
}

/**
 * The record with which a drain goes on, or begins. Its time stays when somebody uncordoned the node meanwhile: the
 * drain has not become any younger by that.
 */
export function recordFor(node: Readonly<Node>, request: string, now: number): DrainRecord {
  const before = recordOf(node)
  const since = before?.request === request ? Math.min(before.since, now) : now
  return { request, since, cordonedBefore: isCordoned(node) && isOthersCordon(node, before) }
}

/** Whether the node's cordon is not ours: neither of a drain under way nor of one that was never followed by an uncordon. */
function isOthersCordon(node: Readonly<Node>, before: DrainRecord | undefined): boolean {
  const annotations = node.metadata.annotations ?? {}
  if (before) return before.cordonedBefore
  const lastApplied = annotations[nodeAnnotations.lastAppliedDrain] ?? ''
  return !lastApplied.startsWith(`${drainVerbs.drain}-`)
}
