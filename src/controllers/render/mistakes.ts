import { mergePolicies } from '../../api/disruption-policy/merge.ts'
import { renderReasons } from '../../api/reasons.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { plan } from '../../planner/plan.ts'
import type { PlanChange } from '../../planner/model/update-plan.ts'
import type { RenderInput } from '../../fleet/render/read-input.ts'
import type { RenderedConfig } from '../../fleet/render/renderer.ts'
import { unknownNode } from '../../planner/unknown-node.ts'
import type { PoolRenderFacts } from './facts.ts'
import type { RenderBlock } from './block.ts'
import { degraded, someOf } from './block.ts'

/**
 * A MachineConfig with a certain mistake, such as a key that Ignition ignores, must not drain and reboot nodes. If it is part of
 * a config in use it changes nothing and blocks nothing: clusters of MCO have such MachineConfigs, because MCO drops unknown keys
 * silently.
 */
export function noMistakeChangesNodes(
  rendered: RenderedConfig,
  facts: PoolRenderFacts,
): RenderBlock | undefined {
  const mistaken = facts.inputs.filter((input) => certainMistakes(input).length > 0)
  if (mistaken.length === 0) return undefined
  const changing = changingNodes(mistaken, rendered, facts.inUse)
  if (changing.length === 0) return undefined
  const problems = changing.flatMap(certainMistakes)
  const [names, pronoun] = [
    changing.map(({ name }) => name).join(', '),
    changing.length === 1 ? 'it' : 'them',
  ]
  return degraded(
    renderReasons.badMachineConfig,
    `MachineConfig ${names}: ${someOf(problems)}. Correct or delete ${pronoun}; nodes keep their config until then`,
  )
}

/** Likely mistakes that do not block rendering, for the condition of the pool. */
export function warningsOf(inputs: readonly RenderInput[]): string[] {
  return inputs.flatMap(({ name, mistakes }) =>
    mistakes.map(({ message }) => `MachineConfig ${name}: ${message}`),
  )
}

const certainMistakes = ({ mistakes }: RenderInput): string[] =>
  mistakes.flatMap(({ mistake, message }) => (mistake === 'certain' ? [message] : []))

/** Inputs that change nodes in every config in use. */
function changingNodes(
  inputs: readonly RenderInput[],
  rendered: RenderedConfig,
  inUse: readonly MachineConfig[],
): RenderInput[] {
  if (inUse.some(({ metadata }) => metadata.name === rendered.name)) return []
  const desired = { metadata: { name: rendered.name }, spec: { ...rendered.spec } }
  const rules = { policies: mergePolicies() }
  let changing = [...inputs]
  for (const current of inUse) {
    const { changes } = plan({ current, desired, rules, facts: unknownNode })
    changing = changing.filter((input) =>
      changes.some((change) => comesFrom(input, change, rendered, current)),
    )
  }
  return changing
}

function comesFrom(
  { name, spec }: RenderInput,
  { kind, path, name: key = path ?? '' }: PlanChange,
  { sources }: RenderedConfig,
  current: MachineConfig,
): boolean {
  if (kind === 'kernelArguments' || kind === 'extensions') {
    // The list combines all MachineConfigs: an input whose entries are all present does not change it.
    const before = new Set(current.spec?.[kind] ?? [])
    return (spec[kind] ?? []).some((entry) => !before.has(entry))
  }
  return sources.of(kind, key).includes(name)
}
