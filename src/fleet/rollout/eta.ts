import type { RolloutSituation } from './situation.ts'

/**
 * The expected end of the rollout at its current pace, as ISO time to the minute. It changes only when a node ends its turn,
 * so that a condition that contains it is not rewritten all the time.
 */
export function expectedEnd(situation: RolloutSituation): string | undefined {
  const { record, counts, budget, ended, facts } = situation
  const took = [...record.took, ...ended.map(({ at }) => (facts.now - at) / 1000)]
  const left = counts.machine - counts.updated
  if (took.length === 0 || left === 0 || 'problem' in budget) return undefined
  const rounds = Math.ceil(left / budget.nodes)
  const end = startOfRound(situation) + rounds * median(took) * 1000
  // A node takes longer than the median, so the estimate is in the past.
  if (end < facts.now) return undefined
  return `${new Date(Math.ceil(end / 60_000) * 60_000).toISOString().slice(0, 16)}Z`
}

/** When the last turn of this rollout ended; before the first turn ends, when it was given. */
function startOfRound({ record, ended, open, facts }: RolloutSituation): number {
  if (ended.length > 0 || open.size === 0) return facts.now
  const first = Math.min(...Array.from(open.values(), ({ turn }) => turn.at))
  return Math.max(first, record.endedAt ?? first)
}

/** Unlike the mean, the median is robust against one node that took hours. */
function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}
