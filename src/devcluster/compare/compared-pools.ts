import type { ClusterSize } from '../size/cluster-size.ts'
import { plannedNodes } from '../size/cluster-size.ts'
import type { ComparedPool } from '../../views/compare/facts.ts'

/** Pure: pools with nodes. The last one is paused: a custom pool, or the workers. */
export function comparedPools(size: ClusterSize): ComparedPool[] {
  const planned = plannedNodes(size)
  const names = [...size.keys()].filter((name) => size.get(name) !== 0)
  return names.map((name) => ({
    name,
    nodes: planned.filter(({ pool }) => pool === name).map((node) => node.name),
    paused: name === names.at(-1),
  }))
}
