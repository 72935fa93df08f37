import { conditionOf, isCondition, poolConditions } from '../../api/conditions.ts'
import type { MachineConfigPool } from '../../api/resources.ts'

/** How a pool is, in one line, as the extension of the ClusterOperator tells it. The first that holds is told. */
export function poolText({ spec, status = {} }: Readonly<MachineConfigPool>): string {
  const { conditions, machineCount = 0, updatedMachineCount = 0, readyMachineCount = 0 } = status
  const { renderDegraded, nodeDegraded, updated, updating, pinnedImageSetsDegraded } =
    poolConditions
  const holds = (type: string): boolean => isCondition(conditions, type)
  const why = (type: string): string => {
    const { reason = '', message = '' } = conditionOf(conditions, type) ?? {}
    return [reason, message].filter((part) => part !== '').join(': ') || 'no reason is given'
  }
  if (holds(renderDegraded)) return `degraded, it cannot be rendered: ${why(renderDegraded)}`
  if (holds(nodeDegraded)) return `degraded, nodes fail: ${why(nodeDegraded)}`
  if (holds(updated)) {
    const name = status.configuration?.name ?? ''
    return `all ${machineCount} nodes are at latest configuration ${name}`
  }
  if (holds(updating)) {
    const name = spec.configuration?.name ?? ''
    return `${updatedMachineCount} (ready ${readyMachineCount}) out of ${machineCount} nodes are updating to latest configuration ${name}`
  }
  if (holds(pinnedImageSetsDegraded)) {
    return `degraded, image sets cannot be pinned: ${why(pinnedImageSetsDegraded)}`
  }
  return '<unknown>'
}
