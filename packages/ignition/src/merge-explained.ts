import type { Config } from './spec/config.ts'
import type { MergeOptions } from './merge.ts'
import { merge } from './merge.ts'

/** The value at `path` comes from input `from`. */
export interface MergeDecision {
  readonly path: readonly string[]
  readonly from: number
}

/** Input `by` removed the value of input `from` at `path`. */
export interface MergeRemoval extends MergeDecision {
  readonly by: number
}

export interface ExplainedMerge {
  readonly config: Config
  readonly decisions: readonly MergeDecision[]
  readonly removals: readonly MergeRemoval[]
}

/** A merge that also returns the origin of every field. */
export function mergeExplained(
  configs: readonly Config[],
  options: Omit<MergeOptions, 'trace'> = {},
): ExplainedMerge {
  const decisions: MergeDecision[] = []
  const removals: MergeRemoval[] = []
  const config = merge(configs, {
    ...options,
    trace: {
      decided: (path, from) => void decisions.push({ path, from }),
      removed: (path, from, by) => void removals.push({ path, from, by }),
    },
  })
  return { config, decisions, removals }
}
