import type { DisruptionAction } from '../api/kinds/node-disruption-policy.ts'
import type { Asked } from './asked.ts'
import { none, reboot } from './asked.ts'
import { askedAlways } from './asked-always.ts'
import { askedByTable, onlyStrongest } from './asked-legacy.ts'
import { askedByPolicy } from './asked-policy.ts'
import { isUntouched } from './certificate-files.ts'
import type { Differences } from './differences.ts'
import { inAskedOrder } from './order.ts'
import type { PlanInput, Rules } from './plan-input.ts'
import type { Action, NodeFacts } from './update-plan.ts'
import { listed } from './wording.ts'

/** What each change asks for by itself. */
export function askedFor(differences: Differences, input: PlanInput): Asked[] {
  const { rules, facts } = input
  const { files } = differences
  const touched = { ...differences, files: files.filter((file) => !isUntouched(file, input)) }
  const byRules =
    typeof rules === 'string'
      ? askedByTable(touched, rules)
      : askedByPolicy(touched, rules.policies)
  const staying = files
    .filter((file) => isUntouched(file, input))
    .map(({ path }): Asked => ({ actions: [none], rule: 'the file stays', because: path }))
  return [...askedAlways(differences, facts), ...byRules, ...staying]
}

/** What has to be done after the change, each once. Never empty: where nothing has to be done, that is `None`. */
export function actionsOf(asked: readonly Asked[], rules: Rules, facts: NodeFacts): Action[] {
  const forced = { actions: [reboot], rule: 'the force file is there', because: 'the force file' }
  const counting = typeof rules === 'string' ? onlyStrongest(asked) : asked
  return combined(facts.forced ? [forced, ...counting] : counting)
}

/** A reboot makes all else superfluous, anything makes `None` superfluous. */
export function combined(asked: readonly Asked[]): Action[] {
  const types = new Set(asked.flatMap(({ actions }) => actions.map(({ type }) => type)))
  const counts = (type: DisruptionAction['type']): boolean =>
    types.has('Reboot') ? type === 'Reboot' : type !== 'None'
  const lists = asked.map(({ actions }) => actions.filter(({ type }) => counts(type)).map(nameOf))
  const order = inAskedOrder(lists)
  if (order.length === 0) return [nothing(asked)]
  return order.map((name) => action(name, asked))
}

/** `Restart crio.service`: what makes two actions the same. */
function nameOf(action: DisruptionAction): string {
  const service = serviceOf(action)
  return service === undefined ? action.type : `${action.type} ${service}`
}

const serviceOf = ({ reload, restart }: DisruptionAction): string | undefined =>
  reload?.serviceName ?? restart?.serviceName

function action(name: string, all: readonly Asked[]): Action {
  const asking = all.filter(({ actions }) => actions.some((one) => nameOf(one) === name))
  const found = asking[0]!.actions.find((one) => nameOf(one) === name)!
  const service = serviceOf(found) ?? (found.type === 'Special' ? 'crio.service' : undefined)
  return {
    type: found.type,
    ...(service !== undefined && { service }),
    rule: rulesText(asking),
    because: [...new Set(asking.map(({ because }) => because))],
  }
}

function nothing(asked: readonly Asked[]): Action {
  return {
    type: 'None',
    rule: asked.length === 0 ? 'nothing differs' : rulesText(asked),
    because: [...new Set(asked.map(({ because }) => because))],
  }
}

const rulesText = (asked: readonly Asked[]): string => listed([...new Set(asked.map(ruleText))], 3)

function ruleText({ rule, detail, from }: Asked): string {
  const origin = from === undefined ? [] : [`from MachineConfig ${from}`]
  const more = [...(detail === undefined ? [] : [detail]), ...origin]
  return more.length === 0 ? rule : `${rule} (${more.join('; ')})`
}
