import { nodeEvents } from '../../api/reasons.ts'
import type { UpdatePlan } from '../../planner/update-plan.ts'
import type { ToldEvent } from './decision-events.ts'

/** What was done after the files were written, and by which rule. */
export function actionEvents({ actions, reboot, to }: UpdatePlan): ToldEvent[] {
  if (reboot) return []
  const events = actions.flatMap(({ type, service = 'crio.service', rule }): ToldEvent[] => {
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

/** The action that an error speaks of. */
export function failedAction({ actions }: UpdatePlan, error: string): ToldEvent | undefined {
  const action = actions.find(({ service }) => service !== undefined && error.includes(service))
  if (!action) return undefined
  const isRestart = action.type === 'Restart'
  const reason = isRestart ? nodeEvents.failedServiceRestart : nodeEvents.failedServiceReload
  return { reason, message: error, isBad: true }
}
