import { conditionOf, isCondition, poolConditions } from '../../api/conditions.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'

/** The state of a pool in one line, for the extension of the ClusterOperator. The first condition that is True wins. */
export function poolText({ spec, status = {} }: Readonly<MachineConfigPool>): string {
  const { conditions, machineCount = 0, updatedMachineCount = 0, readyMachineCount = 0 } = status
  const { renderDegraded, nodeDegraded, updated, updating, pinnedImageSetsDegraded } =
    poolConditions
  const isTrue = (type: string): boolean => isCondition(conditions, type)
  const why = (type: string): string => {
    const { reason = '', message = '' } = conditionOf(conditions, type) ?? {}
    return [reason, message].filter((part) => part !== '').join(': ') || 'no reason reported'
  }
  if (isTrue(renderDegraded)) return `degraded, rendering fails: ${why(renderDegraded)}`
  if (isTrue(nodeDegraded)) return `degraded, nodes fail: ${why(nodeDegraded)}`
  if (isTrue(updated)) {
    const name = status.configuration?.name ?? ''
    return `all ${machineCount} nodes are at latest configuration ${name}`
  }
  if (isTrue(updating)) {
    const name = spec.configuration?.name ?? ''
    return `${updatedMachineCount} (ready ${readyMachineCount}) out of ${machineCount} nodes are updating to latest configuration ${name}`
  }
  if (isTrue(pinnedImageSetsDegraded)) {
    return `degraded, pinning image sets fails: ${why(pinnedImageSetsDegraded)}`
  }
  return '<unknown>'
}
