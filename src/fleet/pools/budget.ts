import { ownPoolAnnotations } from '../../api/annotations.ts'
import { pools } from '../../api/names.ts'

/** How many nodes of a pool may be unavailable at once, or why maxUnavailable is invalid. */
export type PoolBudget =
  | {
      readonly nodes: number
      /** Why it is less than spec.maxUnavailable. */
      readonly capped?: string
    }
  | { readonly problem: string }

export interface BudgetInput {
  readonly pool: string
  readonly maxUnavailable?: number | string | null | undefined
  /** The number of nodes in the pool. */
  readonly size: number
  /** The pool's `machinist.dev/allow-whole-pool-unavailable`. */
  readonly allowWholePool?: string | undefined
}

/** One node at a time keeps the etcd quorum, regardless of spec.maxUnavailable. */
const oneAtATime: ReadonlySet<string> = new Set([pools.master, pools.arbiter])

/**
 * A percentage refers to the size of the pool, rounded down. Unset and zero mean one, so that a rollout can always proceed.
 * At least one of several nodes stays in service unless the pool's annotation allows otherwise.
 */
export function budgetOf({ pool, maxUnavailable, size, allowWholePool }: BudgetInput): PoolBudget {
  const requested = requestedNodes(maxUnavailable ?? 1, size)
  if (requested === undefined) {
    const value = JSON.stringify(maxUnavailable)
    return {
      problem: `spec.maxUnavailable is ${value}: no node is updated until it is a number of at least 0, or a percentage from "0%" to "100%"`,
    }
  }
  if (oneAtATime.has(pool)) return { nodes: 1 }
  const nodes = Math.max(requested, 1)
  const mostServing = Math.max(size - 1, 1)
  if (nodes <= mostServing || size <= 1 || allowWholePool === 'true') return { nodes }
  return {
    nodes: mostServing,
    capped: `spec.maxUnavailable ${JSON.stringify(maxUnavailable)} is the whole pool: at most ${mostServing} of ${size} nodes are updated at a time. To allow all at once, set the annotation ${ownPoolAnnotations.allowWholePool} to "true"`,
  }
}

function requestedNodes(value: number | string, size: number): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 ? value : undefined
  const percent = Number(/^(\d{1,3})%$/.exec(value)?.[1] ?? Infinity)
  return percent > 100 ? undefined : Math.floor((percent * size) / 100)
}
