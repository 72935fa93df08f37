import { InvalidInput } from '@machinist/core/errors'
import { pools as builtIn } from '../../api/names.ts'

/** Number of nodes by pool: control plane first, then workers, then custom pools. */
export type ClusterSize = ReadonlyMap<string, number>

export interface PlannedNode {
  readonly name: string
  readonly pool: string
  /** Index within the pool, from 0. */
  readonly number: number
  /** An address of the range for benchmarks, with one subnet per pool. */
  readonly address: string
}

export const defaultSize: ClusterSize = new Map([
  [builtIn.master, 3],
  [builtIn.worker, 4],
  ['infra', 2],
])

const maxNodes = 100

/** Parses `3,4,infra=2`: control plane, workers, custom pools by name; `worker=4` is allowed as well. */
export function parseSize(text: string): Map<string, number> {
  const size = new Map<string, number>([
    [builtIn.master, 1],
    [builtIn.worker, 0],
  ])
  const unnamed = [builtIn.master, builtIn.worker]
  const parsed = new Set<string>()
  for (const part of text.split(',').map((each) => each.trim())) {
    const match = /^(?:([^=]+)=)?(\d{1,4})$/.exec(part)
    const pool = match?.[1] ?? (match ? unnamed.shift() : undefined)
    if (!match || pool === undefined) throw unreadablePart(part)
    unnamed.splice(0, unnamed.indexOf(pool as 'master') + 1)
    checkPool(pool)
    if (parsed.has(pool)) throw new InvalidInput(`--nodes: pool ${pool} is given twice`)
    parsed.add(pool)
    size.set(pool, Number(match[2]))
  }
  checkCounts(size)
  return size
}

export function formatSize(size: ClusterSize): string {
  return [...size].map(([pool, count]) => `${pool}=${count}`).join(',')
}

/** `master-0`, `worker-3`: the same names at every start. */
export function plannedNodes(size: ClusterSize): PlannedNode[] {
  return [...size].flatMap(([pool, count], subnet) =>
    Array.from({ length: count }, (_, number) => ({
      name: `${pool}-${number}`,
      pool,
      number,
      address: `198.18.${subnet}.${number + 1}`,
    })),
  )
}

/** A cluster can grow, but not shrink: existing nodes are never removed. */
export function validateGrowth(
  before: ClusterSize,
  desired: ClusterSize,
  data: string,
): ClusterSize {
  for (const [pool, count] of before) {
    if ((desired.get(pool) ?? 0) < count) {
      throw new InvalidInput(
        `${data} contains a cluster of ${formatSize(before)}, and --nodes requests fewer ${pool} nodes: use another --data, or remove that directory`,
      )
    }
  }
  return desired
}

function checkPool(pool: string): void {
  if (!/^[a-z]([a-z0-9-]{0,30}[a-z0-9])?$/.test(pool)) {
    throw new InvalidInput(
      `--nodes: ${JSON.stringify(pool)} is not a valid pool name: use lower case letters, digits and -`,
    )
  }
  if (pool === builtIn.arbiter) throw new InvalidInput('--nodes: arbiters are not simulated')
}

function checkCounts(size: ClusterSize): void {
  const total = [...size.values()].reduce((sum, count) => sum + count, 0)
  if (size.get(builtIn.master) === 0) {
    throw new InvalidInput('--nodes: a cluster needs at least one control plane node')
  }
  if (total > maxNodes)
    throw new InvalidInput(`--nodes: ${total} nodes are too many, the maximum is ${maxNodes}`)
}

const unreadablePart = (part: string): InvalidInput =>
  new InvalidInput(
    `--nodes: ${JSON.stringify(part)} is not a number of nodes: use a list such as 3,4,infra=2 (control plane, workers, custom pools by name)`,
  )
