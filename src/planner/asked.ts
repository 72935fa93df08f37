import type { DisruptionAction } from '../api/kinds/node-disruption-policy.ts'

/** What one change asks for, and by which rule. */
export interface Asked {
  readonly actions: readonly DisruptionAction[]
  readonly rule: string
  /** The path or name of the change. */
  readonly because: string
  /** What exactly changes, where the rule does not say it. */
  readonly detail?: string
  /** The MachineConfigs that brought the change. */
  readonly from?: string
}

export const reboot: DisruptionAction = { type: 'Reboot' }
export const none: DisruptionAction = { type: 'None' }
