import { pools as builtIn } from '../api/names.ts'
import { InvalidInput } from '@machinist/core/errors'

/** How many nodes each pool has, by the pool's name; control plane first, then workers, then custom pools. */
export type ClusterSize = ReadonlyMap<string, number>

export interface PlannedNode {
  readonly name: string
  readonly pool: string
  /** Counts from 0 within its pool. */
  readonly number: number
  /** No machine has it: a range that is reserved for benchmarks. A subnet for each pool. */
  readonly address: string
}

export const usualSize: ClusterSize = new Map([
  [builtIn.master, 3],
  [builtIn.worker, 4],
  ['infra', 2],
])

const most = 100

/** `3,4,infra=2`: control plane, workers, custom pools by name; `worker=4` says it outright. */
export function parseSize(text: string): Map<string, number> {
  const size = new Map<string, number>([
    [builtIn.master, 1],
    [builtIn.worker, 0],
  ])
  const bare = [builtIn.master, builtIn.worker]
  const said = new Set<string>()
  for (const part of text.split(',').map((each) => each.trim())) {
    const match = /^(?:([^=]+)=)?(\d{1,4})$/.exec(part)
    const pool = match?.[1] ?? (match ? bare.shift() : undefined)
    if (!match || pool === undefined) throw unreadable(part)
    bare.splice(0, bare.indexOf(pool as 'master') + 1)
    checkPool(pool)
    if (said.has(pool)) throw new InvalidInput(`--nodes says ${pool} twice`)
    said.add(pool)
    size.set(pool, Number(match[2]))
  }
  checkCounts(size)
  return size
}

export function sizeInWords(size: ClusterSize): string {
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

/** What is there stays, and more may join: nodes are never taken away behind their backs. */
export function grown(before: ClusterSize, wanted: ClusterSize, data: string): ClusterSize {
  for (const [pool, count] of before) {
    if ((wanted.get(pool) ?? 0) < count) {
      throw new InvalidInput(
        `${data} holds a cluster of ${sizeInWords(before)}, and --nodes wants fewer ${pool} nodes: name another --data, or remove that directory`,
      )
    }
  }
  return wanted
}

function checkPool(pool: string): void {
  if (!/^[a-z]([a-z0-9-]{0,30}[a-z0-9])?$/.test(pool)) {
    throw new InvalidInput(
      `--nodes: ${JSON.stringify(pool)} cannot be a pool: small letters, digits and - please`,
    )
  }
  if (pool === builtIn.arbiter) throw new InvalidInput('--nodes: arbiters are not simulated')
}

function checkCounts(size: ClusterSize): void {
  const total = [...size.values()].reduce((sum, count) => sum + count, 0)
  if (size.get(builtIn.master) === 0) {
    throw new InvalidInput('--nodes: a cluster needs at least one control plane node')
  }
  if (total > most) throw new InvalidInput(`--nodes: ${total} nodes are too many, ${most} at most`)
}

const unreadable = (part: string): InvalidInput =>
  new InvalidInput(
    `--nodes: ${JSON.stringify(part)} makes no sense: say how many control plane nodes, workers, and others by pool, such as 3,4,infra=2`,
  )
