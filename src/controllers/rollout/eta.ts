import type { Situation } from './situation.ts'

/**
 * When the rollout will be over if it goes on as it went, as ISO time to the minute. It moves when a node ends its turn
 * and stands still in between, so that a condition that shows it is not rewritten all the time.
 */
export function expectedEnd({
  record,
  counts,
  budget,
  ended,
  facts,
}: Situation): string | undefined {
  const took = [...record.took, ...ended.map(({ at }) => (facts.now - at) / 1000)]
  const from = ended.length > 0 ? facts.now : record.endedAt
  const left = counts.machine - counts.updated
  if (took.length === 0 || from === undefined || left === 0 || 'problem' in budget) return undefined
  const rounds = Math.ceil(left / budget.nodes)
  const end = from + rounds * median(took) * 1000
  return `${new Date(Math.ceil(end / 60_000) * 60_000).toISOString().slice(0, 16)}Z`
}

/** One node that took hours must not spoil the guess. */
function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}
