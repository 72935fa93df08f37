import type { Config } from './config.ts'
import type { MergeOptions } from './merge.ts'
import { merge } from './merge.ts'

/** The value at `path` is that of input `from`. */
export interface Decision {
  readonly path: readonly string[]
  readonly from: number
}

/** What input `from` had put at `path` is not in the result, because of input `by`. */
export interface Removal extends Decision {
  readonly by: number
}

export interface ExplainedMerge {
  readonly config: Config
  readonly decisions: readonly Decision[]
  readonly removals: readonly Removal[]
}

/** A merge that also says where everything comes from, down to the single field. */
export function mergeExplained(
  configs: readonly Config[],
  options: Omit<MergeOptions, 'trace'> = {},
): ExplainedMerge {
  const decisions: Decision[] = []
  const removals: Removal[] = []
  const config = merge(configs, {
    ...options,
    trace: {
      decided: (path, from) => void decisions.push({ path, from }),
      removed: (path, from, by) => void removals.push({ path, from, by }),
    },
  })
  return { config, decisions, removals }
}
