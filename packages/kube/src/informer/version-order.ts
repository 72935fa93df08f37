import type { KubeObject } from '@machinist/core/resource'
import type { WatchEvent } from '../list-watch.ts'

/** Whether version `a` is older than `b`; undefined where the server's versions are not plain numbers. */
export function isOlder(a: string | undefined, b: string | undefined): boolean | undefined {
  if (a === undefined || b === undefined || !decimal.test(a) || !decimal.test(b)) return undefined
  if (a.length !== b.length) return a.length < b.length
  return a < b
}

/** The later of two versions; where they cannot be compared, the one that came last. */
export function laterVersion(seen: string, came: string | undefined): string {
  if (came === undefined || came === '') return seen
  return isOlder(came, seen) ? seen : came
}

/** The same object in the same state, as the server counts states. */
export function isSameState(a: KubeObject, b: KubeObject): boolean {
  return (
    a.metadata.resourceVersion !== undefined &&
    a.metadata.resourceVersion === b.metadata.resourceVersion &&
    a.metadata.uid === b.metadata.uid
  )
}

/**
 * Whether an event tells something that was known already. A watch is resumed from the last version seen, which only
 * works because servers send events in the order of their versions: so one that is older than what was seen is an echo.
 */
export function isEcho<T extends KubeObject>(
  event: Exclude<WatchEvent<T>, { type: 'BOOKMARK' }>,
  stored: Readonly<T> | undefined,
  seen: string,
): boolean {
  const came = event.object.metadata.resourceVersion
  if (stored === undefined) return event.type === 'DELETED' || isOlder(came, seen) === true
  if (isOlder(came, stored.metadata.resourceVersion)) return true
  // Some servers send a deletion with the version of the last state, so only for the others is "equal" an echo.
  return event.type !== 'DELETED' && isSameState(event.object, stored)
}

/** No leading zero, so that length and text order are number order, whatever the size. */
const decimal = /^(0|[1-9]\d*)$/
