import type { NodeFacts } from '../rollout/node-facts.ts'

/** Zone after zone by name, nodes without one last; in a zone the oldest first. A total order: no two runs differ. */
export function byZoneThenAge(a: NodeFacts, b: NodeFacts): number {
  if (a.zone !== b.zone) {
    if (a.zone === undefined) return 1
    if (b.zone === undefined) return -1
    return a.zone < b.zone ? -1 : 1
  }
  return compareTexts(a.createdAt, b.createdAt) || compareTexts(a.name, b.name)
}

/** Timestamps of the API are in one format and zone, so their order is that of the texts. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
