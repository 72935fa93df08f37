import type { DisruptionAction } from '../../api/kinds/node-disruption-policy.ts'
import type { RequestedActions } from '../actions/requested.ts'
import { causeOf } from '../provenance/origins.ts'
import type { PlanChange } from '../model/update-plan.ts'
import { listed } from '../model/wording.ts'

/** Adds the actions that each change requires by itself, and the rule, to its summary. */
export function withConsequences(
  changes: readonly PlanChange[],
  requested: readonly RequestedActions[],
): PlanChange[] {
  const byCause = new Map(requested.map((one) => [one.because, one]))
  return changes.map((change) => {
    const found = byCause.get(causeOf(change))
    if (!found) return change
    const summary = `${change.summary.replace(/\.$/, '')}; ${consequence(found)}.`
    return Object.assign({}, change, { summary })
  })
}

function consequence({ actions, rule }: RequestedActions): string {
  const names = actions.filter(({ type }) => type !== 'None').map(actionText)
  return names.length === 0
    ? `no further action (${rule})`
    : `requires ${listed(names, 10)} (${rule})`
}

function actionText({ type, reload, restart }: DisruptionAction): string {
  switch (type) {
    case 'Reboot':
      return 'a reboot'
    case 'Drain':
      return 'a drain'
    case 'DaemonReload':
      return 'a systemd daemon-reload'
    case 'Reload':
      return `a reload of ${reload?.serviceName}`
    case 'Restart':
      return `a restart of ${restart?.serviceName}`
    case 'Special':
      return 'a reload of crio.service'
    case 'None':
      return 'nothing'
  }
}
