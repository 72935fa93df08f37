import { nodeEvents } from '../../api/reasons.ts'
import type { Update } from '../apply/update.ts'
import type { Action, UpdatePlan } from '../../planner/update-plan.ts'
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

/** Once all that the next boot brings is staged. */
export function stagedEvents({ plan, current, desired }: Update): ToldEvent[] {
  const os = plan.steps.find((step) => step.do === 'change-os')
  if (!os) return []
  const { image } = os
  const isSame = image === undefined || image.from === image.to
  const url = desired.spec?.osImageURL ?? ''
  const upgrade = isSame
    ? {
        reason: nodeEvents.osUpgradeSkipped,
        message: `The OS image of ${plan.to} is the one of ${current.metadata.name} (${url})`,
      }
    : {
        reason: nodeEvents.osUpgradeApplied,
        message: `The OS image of ${plan.to} (${image.to}) is in place for the next boot`,
      }
  const staged = { reason: nodeEvents.osUpdateStaged, message: `Changes to the OS are staged` }
  return [upgrade, staged]
}

/** The action that an error speaks of. */
export function failedAction(plan: UpdatePlan, error: string): ToldEvent | undefined {
  const action = actionIn(plan, error)
  if (!action) return undefined
  const isRestart = action.type === 'Restart'
  const reason = isRestart ? nodeEvents.failedServiceRestart : nodeEvents.failedServiceReload
  return { reason, message: `${error} (${action.rule})`, isBad: true }
}

/** Which part of the plan an error speaks of, and which MachineConfig brought it; empty if neither is known. */
export function causeOf(plan: UpdatePlan, error: string): string {
  const action = actionIn(plan, error)
  if (action) return ` (${action.rule})`
  const spoken = plan.changes
    .map(({ path, name = '', from }) => ({ about: path ?? name.replace('/', '.d/'), from }))
    .filter(({ about, from }) => from !== undefined && about !== '' && error.includes(about))
    // A path may be the beginning of another.
    .toSorted((a, b) => b.about.length - a.about.length)
  const from = spoken[0]?.from
  return from === undefined ? '' : ` (from MachineConfig ${from})`
}

const actionIn = ({ actions }: UpdatePlan, error: string): Action | undefined =>
  actions.find(({ service }) => service !== undefined && error.includes(service))
