import { ownPoolAnnotations } from '../../api/annotations.ts'
import { pools } from '../../api/names.ts'

/** How many nodes of a pool may be out of service at once, or why that cannot be told. */
export type Budget =
  | {
      readonly nodes: number
      /** Why it is less than the pool asks for. */
      readonly capped?: string
    }
  | { readonly problem: string }

export interface BudgetInput {
  readonly pool: string
  readonly maxUnavailable?: number | string | null | undefined
  /** How many nodes the pool has. */
  readonly size: number
  /** The pool's `machinist.dev/allow-whole-pool-unavailable`. */
  readonly allowWholePool?: string | undefined
}

/** The control plane keeps its quorum only if its nodes go one at a time, whatever the pool asks for. */
const oneAtATime: ReadonlySet<string> = new Set([pools.master, pools.arbiter])

/**
 * A percentage is of the pool's size, rounded down; nothing and zero mean one, so that a pool can always go on. One node
 * of several stays in service unless the pool says that none has to.
 */
export function budgetOf({ pool, maxUnavailable, size, allowWholePool }: BudgetInput): Budget {
  const asked = nodesAsked(maxUnavailable ?? 1, size)
  if (asked === undefined) {
    const shown = JSON.stringify(maxUnavailable)
    return {
      problem: `spec.maxUnavailable is ${shown}: no node is updated until it is a number of at least 0, or a percentage from "0%" to "100%"`,
    }
  }
  if (oneAtATime.has(pool)) return { nodes: 1 }
  const nodes = Math.max(asked, 1)
  const mostServing = Math.max(size - 1, 1)
  if (nodes <= mostServing || size <= 1 || allowWholePool === 'true') return { nodes }
  return {
    nodes: mostServing,
    capped: `spec.maxUnavailable ${JSON.stringify(maxUnavailable)} is the whole pool: at most ${mostServing} of ${size} nodes are updated at a time. To allow all at once, set the annotation ${ownPoolAnnotations.allowWholePool} to "true"`,
  }
}

function nodesAsked(value: number | string, size: number): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 ? value : undefined
  const percent = Number(/^(\d{1,3})%$/.exec(value)?.[1] ?? Infinity)
  return percent > 100 ? undefined : Math.floor((percent * size) / 100)
}
