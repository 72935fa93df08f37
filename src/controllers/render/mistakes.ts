import { mergePolicies } from '../../api/disruption-policy/merge.ts'
import { renderReasons } from '../../api/reasons.ts'
import type { MachineConfig } from '../../api/resources.ts'
import { plan } from '../../planner/plan.ts'
import type { Change } from '../../planner/update-plan.ts'
import type { Facts } from './facts.ts'
import type { Block } from './gates.ts'
import { degraded, someOf } from './gates.ts'
import type { RenderInput } from '../../fleet/render/read-input.ts'
import type { Rendered } from '../../fleet/render/renderer.ts'
import { someNode } from '../../planner/some-node.ts'

/**
 * A MachineConfig with a certain mistake, such as a key that Ignition ignores, must not drain and reboot nodes for something that
 * its author did not mean. One that nodes are in already, or are on their way to, changes nothing and holds up nothing: clusters
 * that come from MCO have such MachineConfigs, because MCO drops unknown keys without a word.
 */
export function noMistakeChangesNodes(rendered: Rendered, facts: Facts): Block | undefined {
  const mistaken = facts.inputs.filter((input) => certainMistakes(input).length > 0)
  if (mistaken.length === 0) return undefined
  const changing = changingNodes(mistaken, rendered, facts.inUse)
  if (changing.length === 0) return undefined
  const problems = changing.flatMap(certainMistakes)
  const [names, them] = [
    changing.map(({ name }) => name).join(', '),
    changing.length === 1 ? 'it' : 'them',
  ]
  return degraded(
    renderReasons.badMachineConfig,
    `MachineConfig ${names}: ${someOf(problems)}. Correct or delete ${them}; nodes keep their configuration until then`,
  )
}

/** What goes through although it was probably not meant, for the condition of the pool. */
export function warningsOf(inputs: readonly RenderInput[]): string[] {
  return inputs.flatMap(({ name, mistakes }) =>
    mistakes.map(({ message }) => `MachineConfig ${name}: ${message}`),
  )
}

const certainMistakes = ({ mistakes }: RenderInput): string[] =>
  mistakes.flatMap(({ mistake, message }) => (mistake === 'certain' ? [message] : []))

/** Those that bring something new to nodes in every configuration that the pool uses. */
function changingNodes(
  inputs: readonly RenderInput[],
  rendered: Rendered,
  inUse: readonly MachineConfig[],
): RenderInput[] {
  if (inUse.some(({ metadata }) => metadata.name === rendered.name)) return []
  const desired = { metadata: { name: rendered.name }, spec: { ...rendered.spec } }
  const rules = { policies: mergePolicies() }
  let changing = [...inputs]
  for (const current of inUse) {
    const { changes } = plan({ current, desired, rules, facts: someNode })
    changing = changing.filter((input) =>
      changes.some((change) => isBroughtBy(input, change, rendered, current)),
    )
  }
  return changing
}

function isBroughtBy(
  { name, spec }: RenderInput,
  { kind, path, name: key = path ?? '' }: Change,
  { sources }: Rendered,
  current: MachineConfig,
): boolean {
  if (kind === 'kernelArguments' || kind === 'extensions') {
    // All MachineConfigs together make one list: those whose entries are there already did not change it.
    const before = new Set(current.spec?.[kind] ?? [])
    return (spec[kind] ?? []).some((entry) => !before.has(entry))
  }
  return sources.of(kind, key).includes(name)
}
