import type { ClusterSize } from '../cluster-size.ts'
import { plannedNodes } from '../cluster-size.ts'
import type { ComparedPool } from '../../views/compare/facts.ts'

/** Pure: pools that have nodes. The last one is to be paused: a custom one, or else the workers. */
export function comparedPools(size: ClusterSize): ComparedPool[] {
  const planned = plannedNodes(size)
  const names = [...size.keys()].filter((name) => size.get(name) !== 0)
  return names.map((name) => ({
    name,
    nodes: planned.filter(({ pool }) => pool === name).map((node) => node.name),
    paused: name === names.at(-1),
  }))
}
