import { pools } from '../../api/names.ts'

/** How many nodes of a pool may be out of service at once, or why that cannot be told. */
export type Budget = { readonly nodes: number } | { readonly problem: string }

/** The control plane keeps its quorum only if its nodes go one at a time, whatever the pool asks for. */
const oneAtATime: ReadonlySet<string> = new Set([pools.master, pools.arbiter])

/** A percentage is of the pool's size, rounded down; nothing and zero mean one, so that a pool can always go on. */
export function budgetOf(
  pool: string,
  maxUnavailable: number | string | null | undefined,
  size: number,
): Budget {
  const asked = nodesAsked(maxUnavailable ?? 1, size)
  if (asked === undefined) {
    const shown = JSON.stringify(maxUnavailable)
    return { problem: `maxUnavailable ${shown} is neither a number nor a percentage such as "10%"` }
  }
  return { nodes: oneAtATime.has(pool) ? 1 : Math.max(asked, 1) }
}

function nodesAsked(value: number | string, size: number): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 ? value : undefined
  const percent = /^(\d{1,9})%$/.exec(value)?.[1]
  return percent === undefined ? undefined : Math.floor((Number(percent) * size) / 100)
}
