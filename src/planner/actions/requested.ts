import type { DisruptionAction } from '../../api/kinds/node-disruption-policy.ts'

/** The actions that one change requires, and the rule. */
export interface RequestedActions {
  readonly actions: readonly DisruptionAction[]
  readonly rule: string
  /** The path or name of the change. */
  readonly because: string
  /** Details of the change that the rule does not contain. */
  readonly detail?: string
  /** The MachineConfigs that the change comes from. */
  readonly from?: string
}

export const reboot: DisruptionAction = { type: 'Reboot' }
export const none: DisruptionAction = { type: 'None' }
