import type { NodeFacts } from './node-facts.ts'

/** By zone name, nodes without a zone last; within a zone the oldest first. A total order, so the result is deterministic. */
export function byZoneThenAge(a: NodeFacts, b: NodeFacts): number {
  if (a.zone !== b.zone) {
    if (a.zone === undefined) return 1
    if (b.zone === undefined) return -1
    return a.zone < b.zone ? -1 : 1
  }
  return compareTexts(a.createdAt, b.createdAt) || compareTexts(a.name, b.name)
}

/** API timestamps share one format and time zone, so they compare as texts. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
