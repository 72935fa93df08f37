import { lenientUtf8 } from '@machinist/core/encoding/bytes'
import { InvalidInput } from '@machinist/core/errors'
import { toYaml } from '@machinist/core/encoding/yaml'
import { names } from '../../../api/names.ts'
import type { MachineConfig } from '../../../api/kinds/resources.ts'
import type { PlanInput } from '../../../planner/model/plan-input.ts'
import { planDigest } from '../../../planner/plan-digest.ts'
import { plan } from '../../../planner/plan.ts'
import { readConfig } from '../../../planner/differences/read-config.ts'
import { mergePolicies } from '../../../api/disruption-policy/merge.ts'
import { owningPool } from '../../../fleet/render/rendered-object.ts'
import { unknownNode } from '../../../planner/unknown-node.ts'
import type { Terminal } from '../../../process/terminal.ts'
import { styleFor } from '../../text/style.ts'
import { readMachineConfig, readPolicy } from './read-plan-files.ts'
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
  const base = { current, desired, facts: unknownNode, registryDrainOverride: !registryDrain }
  if (rules !== 'policy') return { ...base, rules }
  if (policy === undefined) {
    note(assumedPolicies)
    return { ...base, rules: { policies: mergePolicies() } }
  }
  const { policies, overrides } = await read(policy, readPolicy)
  return { ...base, rules: { policies }, overrides }
}

const assumedPolicies =
  'no --policy: the default policies decide about drains and reboots; for the policies of your cluster, save the output of "kubectl get machineconfiguration cluster -o yaml" and pass it with --policy'

/**
 * A plan covers the whole config of a node, so both sides must be rendered. Two versions of one MachineConfig can be compared too;
 * the returned note explains the limits. Any other pair would plan the removal of the rest of the configuration.
 */
function comparisonOf(current: MachineConfig, desired: MachineConfig): string | undefined {
  const plain = [desired, current].find((one) => !isRendered(one))
  if (!plain) return undefined
  const { name } = desired.metadata
  if (current.metadata.name === name) {
    return `comparing two versions of MachineConfig ${name} only; other MachineConfigs of its pool can override it. Use "machinist render" for the config that nodes get`
  }
  throw new InvalidInput(
    `MachineConfig ${plain.metadata.name} is not a rendered config. A node gets all MachineConfigs of its pool merged into one, so render it with the others first: kubectl get mc,mcp,controllerconfig -o yaml >dump.yaml; machinist render --pool POOL -f dump.yaml FILE >rendered.yaml; then plan with rendered.yaml`,
  )
}

const isRendered = (one: MachineConfig): boolean =>
  one.metadata.name.startsWith(names.renderedPrefix) || owningPool(one) !== undefined

export interface PrintedPlan {
  readonly text: string
  /** The reason in one line, if the change cannot be applied. */
  readonly problem?: string
}

export function printPlan(input: PlanInput, format: 'json' | 'yaml' | 'text'): PrintedPlan {
  const updatePlan = plan(input)
  const whole = { ...updatePlan, digest: planDigest(updatePlan) }
  const text =
    format === 'json'
      ? `${JSON.stringify(whole, null, 2)}\n`
      : format === 'yaml'
        ? toYaml(whole)
        : planText(updatePlan, input, styleFor(process.stdout, process.env))
  if (updatePlan.reconcilable) return { text }
  const [first, ...others] = updatePlan.reasons
  const more = others.length > 0 ? ` (and ${others.length} more)` : ''
  return {
    text,
    problem: `can't reconcile config ${updatePlan.from} with ${updatePlan.to}: ${first}${more}`,
  }
}
