import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { PoolHold } from '../../fleet/pools/hold.ts'
import { holdOf } from '../../fleet/pools/hold.ts'
import type { RenderedConfig } from '../../fleet/render/renderer.ts'
import type { RenderFunction } from './checked-render.ts'
import { defaultImages } from './checked-render.ts'
import type { PoolRenderFacts } from './facts.ts'
import { inputChain } from './input-checks.ts'

/**
 * Why a pool keeps the config of another controller: nothing is stored, and spec.configuration does not change. Undefined if no
 * other controller configured the nodes, if the content is the same, and if an input check fails.
 */
export function holdIn(facts: PoolRenderFacts, render: RenderFunction): PoolHold | undefined {
  const { pool, inputs, controllerConfig, foreignInputs, foreignConfigs, release } = facts
  const [current] = foreignConfigs
  if (!current) return undefined
  if (foreignInputs.length > 0) return holdByInputs(facts, current, render)
  if (inputChain.evaluate(facts)) return undefined
  const rendered = render(pool.metadata.name, inputs, defaultImages(controllerConfig))
  return holdOf(foreignConfigs, machineConfigOf(rendered), release)
}

/** While another controller generates inputs, its rendered config stays in any case; the plan is only shown. */
function holdByInputs(
  facts: PoolRenderFacts,
  current: MachineConfig,
  render: RenderFunction,
): PoolHold | undefined {
  const { pool, adoptedInputs: inputs = [], controllerConfig, foreignConfigs, release } = facts
  const isValid = inputs.length > 0 && inputs.every(({ problems }) => problems.length === 0)
  if (!isValid) return holdOf([current], undefined)
  const rendered = render(pool.metadata.name, inputs, defaultImages(controllerConfig))
  return holdOf(foreignConfigs, machineConfigOf(rendered), release) ?? holdOf([current], undefined)
}

const machineConfigOf = ({ name, spec }: RenderedConfig): MachineConfig => ({
  metadata: { name },
  spec,
})
