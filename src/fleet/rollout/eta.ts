import type { Situation } from './situation.ts'

/**
 * When the rollout will be over if it goes on as it went, as ISO time to the minute. It moves when a node ends its turn
 * and stands still in between, so that a condition that shows it is not rewritten all the time.
 */
export function expectedEnd(situation: Situation): string | undefined {
  const { record, counts, budget, ended, facts } = situation
  const took = [...record.took, ...ended.map(({ at }) => (facts.now - at) / 1000)]
  const left = counts.machine - counts.updated
  if (took.length === 0 || left === 0 || 'problem' in budget) return undefined
  const rounds = Math.ceil(left / budget.nodes)
  const end = beginOfRound(situation) + rounds * median(took) * 1000
  // A node that takes longer than usual makes the guess worthless.
  if (end < facts.now) return undefined
  return `${new Date(Math.ceil(end / 60_000) * 60_000).toISOString().slice(0, 16)}Z`
}

/** When the last turn of this rollout ended; before the first one has, when the first was given. */
function beginOfRound({ record, ended, open, facts }: Situation): number {
  if (ended.length > 0 || open.size === 0) return facts.now
  const first = Math.min(...Array.from(open.values(), ({ turn }) => turn.at))
  return Math.max(first, record.endedAt ?? first)
}

/** One node that took hours must not spoil the guess. */
function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}
