import { names } from '../../api/names.ts'
import type { ControlPlaneFacts } from './facts.ts'
import type { ControlPlaneCaches } from './inputs.ts'

/** Undefined if the node does not exist. */
export function gather(
  name: string,
  { nodes, schedulers }: ControlPlaneCaches,
): ControlPlaneFacts | undefined {
  const node = nodes.get(name)
  if (!node) return undefined
  const scheduler = schedulers.get(names.clusterConfig)
  return { node, schedulable: scheduler && scheduler.spec?.mastersSchedulable === true }
}
