import type { DisruptionAction } from '../api/kinds/node-disruption-policy.ts'
import type { Asked } from './asked.ts'
import { causeOf } from './origins.ts'
import type { Change } from './update-plan.ts'
import { listed } from './wording.ts'

/** Adds to each sentence what the change would take by itself, and by which rule. */
export function withConsequences(changes: readonly Change[], asked: readonly Asked[]): Change[] {
  const byCause = new Map(asked.map((one) => [one.because, one]))
  return changes.map((change) => {
    const found = byCause.get(causeOf(change))
    if (!found) return change
    const summary = `${change.summary.replace(/\.$/, '')}; ${consequence(found)}.`
    return Object.assign({}, change, { summary })
  })
}

function consequence({ actions, rule }: Asked): string {
  const verbs = actions.filter(({ type }) => type !== 'None').map(verbOf)
  return verbs.length === 0
    ? `nothing else to do (${rule})`
    : `takes ${listed(verbs, 10)} (${rule})`
}

function verbOf({ type, reload, restart }: DisruptionAction): string {
  switch (type) {
    case 'Reboot':
      return 'a reboot'
    case 'Drain':
      return 'a drain'
    case 'DaemonReload':
      return 'a reload of systemd'
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
