import type { MachineConfig } from '../../api/resources.ts'
import type { Hold } from '../../fleet/pools/hold.ts'
import { holdOf } from '../../fleet/pools/hold.ts'
import type { Render } from './decide.ts'
import { defaultImages } from './decide.ts'
import type { Facts } from './facts.ts'
import { gates } from './gates.ts'
import type { Rendered } from '../../fleet/render/renderer.ts'

/**
 * Why a pool keeps what another controller rendered: nothing is stored, and the pool points where it did. Undefined where no
 * other controller configured its nodes, where ours has the same content, and where a gate says what is in the way.
 */
export function holdIn(facts: Facts, render: Render): Hold | undefined {
  const { pool, inputs, controllerConfig, theirInputs, theirConfigs, release } = facts
  const [current] = theirConfigs
  if (!current) return undefined
  if (theirInputs.length > 0) return holdByInputs(facts, current, render)
  if (Object.values(gates).some((gate) => gate(facts))) return undefined
  const rendered = render(pool.metadata.name, inputs, defaultImages(controllerConfig))
  return holdOf(theirConfigs, asObject(rendered), release)
}

/** While inputs are by another controller, its rendered config stays whatever ours would be; the plan is for people. */
function holdByInputs(facts: Facts, current: MachineConfig, render: Render): Hold | undefined {
  const { pool, adoptedInputs: inputs = [], controllerConfig, theirConfigs, release } = facts
  const isReadable = inputs.length > 0 && inputs.every(({ problems }) => problems.length === 0)
  if (!isReadable) return holdOf([current], undefined)
  const rendered = render(pool.metadata.name, inputs, defaultImages(controllerConfig))
  return holdOf(theirConfigs, asObject(rendered), release) ?? holdOf([current], undefined)
}

const asObject = ({ name, spec }: Rendered): MachineConfig => ({ metadata: { name }, spec })
