import { nodeEvents } from '../../api/reasons.ts'
import type { Update } from '../apply/update.ts'
import type { PlanAction, UpdatePlan } from '../../planner/model/update-plan.ts'
import type { NodeEvent } from './decision-events.ts'

/** Events for the actions after the files were written, with the rule that required each. */
export function actionEvents({ actions, reboot, to }: UpdatePlan): NodeEvent[] {
  if (reboot) return []
  const events = actions.flatMap(({ type, service = 'crio.service', rule }): NodeEvent[] => {
    if (type === 'Restart') {
      return [{ reason: nodeEvents.serviceRestart, message: `${service} was restarted: ${rule}` }]
    }
    if (type !== 'Reload' && type !== 'Special') return []
    return [{ reason: nodeEvents.serviceReload, message: `${service} was reloaded: ${rule}` }]
  })
  if (events.length > 0) return events
  return [
    { reason: nodeEvents.skipReboot, message: `Config changes of ${to} do not require reboot.` },
  ]
}

/** Events for the OS changes that are staged for the next boot. */
export function stagedEvents({ plan, current, desired }: Update): NodeEvent[] {
  const os = plan.steps.find((step) => step.do === 'change-os')
  if (!os) return []
  const { image } = os
  const isSame = image === undefined || image.from === image.to
  const url = desired.spec?.osImageURL ?? ''
  const upgrade = isSame
    ? {
        reason: nodeEvents.osUpgradeSkipped,
        message: `The OS image of ${plan.to} is the same as that of ${current.metadata.name} (${url})`,
      }
    : {
        reason: nodeEvents.osUpgradeApplied,
        message: `The OS image of ${plan.to} (${image.to}) is staged for the next boot`,
      }
  const staged = { reason: nodeEvents.osUpdateStaged, message: 'Changes to the OS are staged' }
  return [upgrade, staged]
}

/** A warning for the action whose service the error names. */
export function failedAction(plan: UpdatePlan, error: string): NodeEvent | undefined {
  const action = actionIn(plan, error)
  if (!action) return undefined
  const isRestart = action.type === 'Restart'
  const reason = isRestart ? nodeEvents.failedServiceRestart : nodeEvents.failedServiceReload
  return { reason, message: `${error} (${action.rule})`, isWarning: true }
}

/** The rule of the action, or the MachineConfig of the path, that the error names; empty if neither is known. */
export function causeOf(plan: UpdatePlan, error: string): string {
  const action = actionIn(plan, error)
  if (action) return ` (${action.rule})`
  const mentioned = plan.changes
    .map(({ path, name = '', from }) => ({ about: path ?? name.replace('/', '.d/'), from }))
    .filter(({ about, from }) => from !== undefined && about !== '' && error.includes(about))
    // A path may be a prefix of another one.
    .toSorted((a, b) => b.about.length - a.about.length)
  const from = mentioned[0]?.from
  return from === undefined ? '' : ` (from MachineConfig ${from})`
}

const actionIn = ({ actions }: UpdatePlan, error: string): PlanAction | undefined =>
  actions.find(({ service }) => service !== undefined && error.includes(service))
