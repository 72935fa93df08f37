import { InvalidInput } from '@machinist/core/errors'
import { lenientUtf8 } from '@machinist/core/encoding/bytes'
import type { File } from '@machinist/ignition/spec/config'
import { inlineContent } from '@machinist/ignition/content'
import { names } from '../../api/names.ts'
import type { Differences } from '../differences/differences.ts'
import type { PlanInput, PlanRules } from '../model/plan-input.ts'
import { registriesConf } from '../../api/disruption-policy/defaults.ts'
import type { PlanAction } from '../model/update-plan.ts'
import { registriesDanger } from './registries.ts'

export interface DrainDecision {
  readonly drain: boolean
  readonly rule: string
}

type DrainInput = Pick<PlanInput, 'rules' | 'facts' | 'registryDrainOverride'>

/** Decides whether the node is drained before the change. */
export function decideDrain(
  actions: readonly PlanAction[],
  differences: Differences,
  input: DrainInput,
): DrainDecision {
  const decision = decideByActions(actions, differences, input)
  if (!decision.drain || input.facts.drains) return decision
  return {
    drain: false,
    rule: `${decision.rule}, but this node is not drained: it is the only node of the cluster, or it has no pods yet`,
  }
}

function decideByActions(
  actions: readonly PlanAction[],
  differences: Differences,
  { rules, registryDrainOverride }: DrainInput,
): DrainDecision {
  const has = (type: PlanAction['type']): boolean => actions.some((action) => action.type === type)
  if (has('Reboot')) return { drain: true, rule: 'the node reboots' }
  const requested = actions.find(({ type }) => type === 'Drain')
  if (requested) return { drain: true, rule: requested.rule }
  const checksRegistries =
    typeof rules === 'string' ? has('Reload') || has('Restart') : has('Special')
  const change = differences.files.find(({ path }) => path === registriesConf)
  if (!checksRegistries || !change) {
    return { drain: false, rule: 'no action disrupts running pods' }
  }
  const danger = dangerOf(change.before, change.after, rules)
  if (danger === undefined) {
    return {
      drain: false,
      rule: `the change of ${registriesConf} is safe: all images are still pulled from the same locations`,
    }
  }
  const rule = `the change of ${registriesConf} is not safe: ${danger}`
  if (!registryDrainOverride || rules === '4.12') return { drain: true, rule }
  return {
    drain: false,
    rule: `${rule}; the drain is skipped because the ConfigMap ${names.registryDrainOverride} exists`,
  }
}

function dangerOf(
  before: File | undefined,
  after: File | undefined,
  rules: PlanRules,
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
