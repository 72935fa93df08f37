import { lenientUtf8 } from '../../base/bytes.ts'
import { toYaml } from '../../base/yaml.ts'
import type { PlanInput } from '../../planner/plan-input.ts'
import { planDigest } from '../../planner/plan-digest.ts'
import { plan } from '../../planner/plan.ts'
import { mergePolicies } from '../../api/disruption-policy/merge.ts'
import { someNode } from '../../controllers/render/checks.ts'
import type { Terminal } from '../terminal.ts'
import { readMachineConfig, readPolicy } from './plan-read.ts'
import { styleFor } from './plan-style.ts'
import { planText } from './plan-text.ts'

export interface PlanFiles {
  readonly from: string
  readonly to: string
  readonly policy?: string
  readonly rules?: '4.12' | '4.16' | 'policy'
  readonly registryDrain: boolean
}

export async function readPlanInput(
  { from, to, policy, rules = 'policy', registryDrain }: PlanFiles,
  terminal: Pick<Terminal, 'read'>,
): Promise<PlanInput> {
  const read = async <T>(file: string, parse: (text: string, origin: string) => T): Promise<T> =>
    parse(lenientUtf8(await terminal.read(file)), file === '-' ? 'standard input' : file)
  const current = await read(from, readMachineConfig)
  const desired = await read(to, readMachineConfig)
  const base = { current, desired, facts: someNode, registryDrainOverride: !registryDrain }
  if (rules !== 'policy') return { ...base, rules }
  if (policy === undefined) return { ...base, rules: { policies: mergePolicies() } }
  const { policies, overrides } = await read(policy, readPolicy)
  return { ...base, rules: { policies }, overrides }
}

export interface PrintedPlan {
  readonly text: string
  /** In one line, if the change cannot be applied. */
  readonly problem?: string
}

export function printPlan(input: PlanInput, format: 'json' | 'yaml' | 'text'): PrintedPlan {
  const made = plan(input)
  const whole = { ...made, digest: planDigest(made) }
  const text =
    format === 'json'
      ? `${JSON.stringify(whole, null, 2)}\n`
      : format === 'yaml'
        ? toYaml(whole)
        : planText(made, input, styleFor(process.stdout, process.env))
  if (made.reconcilable) return { text }
  const [first, ...others] = made.reasons
  const more = others.length > 0 ? ` (and ${others.length} more)` : ''
  return { text, problem: `can't reconcile config ${made.from} with ${made.to}: ${first}${more}` }
}
