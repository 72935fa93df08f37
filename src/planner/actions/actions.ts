import type { DisruptionAction } from '../../api/kinds/node-disruption-policy.ts'
import { isUntouched } from '../differences/certificate-files.ts'
import type { Differences } from '../differences/differences.ts'
import type { PlanInput, PlanRules } from '../model/plan-input.ts'
import type { PlanAction, NodeFacts } from '../model/update-plan.ts'
import { listed } from '../model/wording.ts'
import type { RequestedActions } from './requested.ts'
import { none, reboot } from './requested.ts'
import { requestedAlways } from './requested-always.ts'
import { requestedByTable, onlyStrongest } from './requested-legacy.ts'
import { requestedByPolicy } from './requested-policy.ts'
import { inRequestedOrder } from './order.ts'

/** The actions that each change requires by itself. */
export function requestedActionsOf(differences: Differences, input: PlanInput): RequestedActions[] {
  const { rules, facts } = input
  const { files } = differences
  const applied = { ...differences, files: files.filter((file) => !isUntouched(file, input)) }
  const byRules =
    typeof rules === 'string'
      ? requestedByTable(applied, rules)
      : requestedByPolicy(applied, rules.policies)
  const kept = files
    .filter((file) => isUntouched(file, input))
    .map(({ path }): RequestedActions => ({
      actions: [none],
      rule: 'the file is not changed',
      because: path,
    }))
  return [...requestedAlways(differences, facts), ...byRules, ...kept]
}

/** The actions after the change, without duplicates. Never empty: if no action is needed, it is `None`. */
export function actionsOf(
  requested: readonly RequestedActions[],
  rules: PlanRules,
  facts: NodeFacts,
): PlanAction[] {
  const forced = { actions: [reboot], rule: 'the force file exists', because: 'the force file' }
  const effective = typeof rules === 'string' ? onlyStrongest(requested) : requested
  return combined(facts.forced ? [forced, ...effective] : effective)
}

/** A reboot replaces all other actions, and any action replaces `None`. */
export function combined(requested: readonly RequestedActions[]): PlanAction[] {
  const types = new Set(requested.flatMap(({ actions }) => actions.map(({ type }) => type)))
  const isEffective = (type: DisruptionAction['type']): boolean =>
    types.has('Reboot') ? type === 'Reboot' : type !== 'None'
  const lists = requested.map(({ actions }) =>
    actions.filter(({ type }) => isEffective(type)).map(nameOf),
  )
  const order = inRequestedOrder(lists)
  if (order.length === 0) return [noAction(requested)]
  return order.map((name) => action(name, requested))
}

/** Identifies an action: `Restart crio.service`. */
function nameOf(action: DisruptionAction): string {
  const service = serviceOf(action)
  return service === undefined ? action.type : `${action.type} ${service}`
}

const serviceOf = ({ reload, restart }: DisruptionAction): string | undefined =>
  reload?.serviceName ?? restart?.serviceName

function action(name: string, all: readonly RequestedActions[]): PlanAction {
  const requesting = all.filter(({ actions }) => actions.some((one) => nameOf(one) === name))
  const found = requesting[0]!.actions.find((one) => nameOf(one) === name)!
  const service = serviceOf(found) ?? (found.type === 'Special' ? 'crio.service' : undefined)
  return {
    type: found.type,
    ...(service !== undefined && { service }),
    rule: rulesText(requesting),
    because: [...new Set(requesting.map(({ because }) => because))],
  }
}

function noAction(requested: readonly RequestedActions[]): PlanAction {
  return {
    type: 'None',
    rule: requested.length === 0 ? 'nothing differs' : rulesText(requested),
    because: [...new Set(requested.map(({ because }) => because))],
  }
}

const rulesText = (requested: readonly RequestedActions[]): string =>
  listed([...new Set(requested.map(ruleText))], 3)

function ruleText({ rule, detail, from }: RequestedActions): string {
  const origin = from === undefined ? [] : [`from MachineConfig ${from}`]
  const more = [...(detail === undefined ? [] : [detail]), ...origin]
  return more.length === 0 ? rule : `${rule} (${more.join('; ')})`
}
