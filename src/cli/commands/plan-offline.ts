import { names } from '../../api/names.ts'
import type { MachineConfig } from '../../api/resources.ts'
import { lenientUtf8 } from '@machinist/core/bytes'
import { InvalidInput } from '@machinist/core/errors'
import { toYaml } from '@machinist/core/yaml'
import type { PlanInput } from '../../planner/plan-input.ts'
import { planDigest } from '../../planner/plan-digest.ts'
import { plan } from '../../planner/plan.ts'
import { readConfig } from '../../planner/read-config.ts'
import { mergePolicies } from '../../api/disruption-policy/merge.ts'
import { owningPool } from '../../fleet/render/rendered-object.ts'
import { someNode } from '../../planner/some-node.ts'
import type { Terminal } from '../../process/terminal.ts'
import { readMachineConfig, readPolicy } from './plan-read.ts'
import { styleFor } from '../style.ts'
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
  terminal: Pick<Terminal, 'read' | 'error'>,
): Promise<PlanInput> {
  const note = (message: string): void => terminal.error(`machinist: ${message}\n`)
  const read = async <T>(file: string, parse: (text: string, origin: string) => T): Promise<T> =>
    parse(lenientUtf8(await terminal.read(file)), file === '-' ? 'standard input' : file)
  const current = await read(from, readMachineConfig)
  const desired = await read(to, readMachineConfig)
  const comparison = comparisonOf(current, desired)
  if (comparison !== undefined) note(comparison)
  for (const { message } of readConfig(desired, 'new').mistakes) {
    note(`warning: MachineConfig ${desired.metadata.name}: ${message}`)
  }
  const base = { current, desired, facts: someNode, registryDrainOverride: !registryDrain }
  if (rules !== 'policy') return { ...base, rules }
  if (policy === undefined) {
    note(assumedPolicies)
    return { ...base, rules: { policies: mergePolicies() } }
  }
  const { policies, overrides } = await read(policy, readPolicy)
  return { ...base, rules: { policies }, overrides }
}

const assumedPolicies =
  'no --policy, so the default policies decide what drains and reboots; for those of your cluster save the output of "kubectl get machineconfiguration cluster -o yaml" and give it with --policy'

/**
 * A plan is about everything that a node has, so both sides must be rendered. Two versions of one MachineConfig can be compared as
 * well, with the note that is returned; anything else would plan the removal of the rest of the configuration.
 */
function comparisonOf(current: MachineConfig, desired: MachineConfig): string | undefined {
  const plain = [desired, current].find((one) => !isRendered(one))
  if (!plain) return undefined
  const { name } = desired.metadata
  if (current.metadata.name === name) {
    return `compares two versions of MachineConfig ${name} alone, although other MachineConfigs of its pool may override it; "machinist render" makes what nodes get`
  }
  throw new InvalidInput(
    `MachineConfig ${plain.metadata.name} is not a rendered config, and a node gets all MachineConfigs of its pool in one. Render it with the others first: kubectl get mc,mcp,controllerconfig -o yaml >dump.yaml; machinist render --pool POOL -f dump.yaml FILE >rendered.yaml; then plan with rendered.yaml`,
  )
}

const isRendered = (one: MachineConfig): boolean =>
  one.metadata.name.startsWith(names.renderedPrefix) || owningPool(one) !== undefined

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
