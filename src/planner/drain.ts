import { names } from '../api/names.ts'
import { InvalidInput } from '@machinist/core/errors'
import { lenientUtf8 } from '@machinist/core/bytes'
import type { File } from '@machinist/ignition/config'
import { inlineContent } from '@machinist/ignition/content'
import type { Differences } from './differences.ts'
import type { PlanInput, Rules } from './plan-input.ts'
import { registriesConf } from '../api/disruption-policy/defaults.ts'
import { registriesDanger } from './registries.ts'
import type { Action } from './update-plan.ts'

export interface DrainDecision {
  readonly drain: boolean
  readonly rule: string
}

type DrainInput = Pick<PlanInput, 'rules' | 'facts' | 'registryDrainOverride'>

/** Whether pods have to leave before the change, and why. */
export function decideDrain(
  actions: readonly Action[],
  differences: Differences,
  input: DrainInput,
): DrainDecision {
  const decision = needed(actions, differences, input)
  if (!decision.drain || input.facts.drains) return decision
  return {
    drain: false,
    rule: `${decision.rule}, but this node is not drained: its pods have nowhere to go, or there are none yet`,
  }
}

function needed(
  actions: readonly Action[],
  differences: Differences,
  { rules, registryDrainOverride }: DrainInput,
): DrainDecision {
  const has = (type: Action['type']): boolean => actions.some((action) => action.type === type)
  if (has('Reboot')) return { drain: true, rule: 'the node reboots' }
  const asked = actions.find(({ type }) => type === 'Drain')
  if (asked) return { drain: true, rule: asked.rule }
  const looksAtRegistries =
    typeof rules === 'string' ? has('Reload') || has('Restart') : has('Special')
  const change = differences.files.find(({ path }) => path === registriesConf)
  if (!looksAtRegistries || !change) {
    return { drain: false, rule: 'nothing that is done disturbs running pods' }
  }
  const danger = dangerOf(change.before, change.after, rules)
  if (danger === undefined) {
    return { drain: false, rule: `the change of ${registriesConf} is safe: no image moves` }
  }
  const rule = `the change of ${registriesConf} is not safe: ${danger}`
  if (!registryDrainOverride || rules === '4.12') return { drain: true, rule }
  return {
    drain: false,
    rule: `${rule}; no drain all the same, because the ConfigMap ${names.registryDrainOverride} is there`,
  }
}

function dangerOf(
  before: File | undefined,
  after: File | undefined,
  rules: Rules,
): string | undefined {
  try {
    const release = rules === '4.12' ? '4.12' : 'later'
    return registriesDanger(textOf(before), textOf(after), release)
  } catch (error) {
    if (error instanceof InvalidInput) return error.message
    throw error
  }
}

const textOf = (file: File | undefined): string => lenientUtf8(inlineContent(file?.contents))
