import type { KubeObject } from '@machinist/core/objects/resource'
import type { WatchEvent } from '../list-watch.ts'

/** Whether version `a` is older than `b`; undefined if the versions are not decimal numbers. */
export function isOlder(a: string | undefined, b: string | undefined): boolean | undefined {
  if (a === undefined || b === undefined || !decimal.test(a) || !decimal.test(b)) return undefined
  if (a.length !== b.length) return a.length < b.length
  return a < b
}

/** The later of two versions; the received one if they cannot be compared. */
export function laterVersion(seen: string, received: string | undefined): string {
  if (received === undefined || received === '') return seen
  return isOlder(received, seen) ? seen : received
}

/** Whether two objects have the same UID and resourceVersion. */
export function isSameState(a: KubeObject, b: KubeObject): boolean {
  return (
    a.metadata.resourceVersion !== undefined &&
    a.metadata.resourceVersion === b.metadata.resourceVersion &&
    a.metadata.uid === b.metadata.uid
  )
}

/**
 * Whether an event is already known. Servers send events in the order of their versions, so an event that is older than the
 * last version is a replay.
 */
export function isReplayedEvent<T extends KubeObject>(
  event: Exclude<WatchEvent<T>, { type: 'BOOKMARK' }>,
  stored: Readonly<T> | undefined,
  seen: string,
): boolean {
  const received = event.object.metadata.resourceVersion
  if (stored === undefined) return event.type === 'DELETED' || isOlder(received, seen) === true
  if (isOlder(received, stored.metadata.resourceVersion)) return true
  // Some servers send a deletion with the version of the last state: an equal version is no replay then.
  return event.type !== 'DELETED' && isSameState(event.object, stored)
}

/** Without leading zeros, so that length and text order equal the numeric order. */
const decimal = /^(0|[1-9]\d*)$/
