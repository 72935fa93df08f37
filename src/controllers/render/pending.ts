import type { RenderInput } from '../../fleet/render/read-input.ts'
import { defaultImages } from './checked-render.ts'
import type { RenderFunction } from './checked-render.ts'
import type { PoolRenderFacts } from './facts.ts'
import { someOf } from './block.ts'

/**
 * Why the rendered MachineConfig of the pool does not match its inputs; undefined if it does. No check applies: a change counts
 * as soon as it is observed, even while its rendering waits or fails. A change with the same rendered MachineConfig does not
 * count.
 *
 * `previous` are the inputs of the last rendering by this process.
 */
export function pendingChange(
  facts: PoolRenderFacts,
  render: RenderFunction,
  previous?: readonly RenderInput[],
): string | undefined {
  const { pool, controllerConfig, inputs, nodeSettings } = facts
  const target = pool.spec.configuration?.name
  // Without a rendered MachineConfig the rollout controller reports Updated=False; without a ControllerConfig the OS image is unknown.
  if (!target || !controllerConfig) return undefined
  const ungenerated = nodeSettings.filter(
    ({ object, isGenerated }) => !isGenerated || object.metadata.deletionTimestamp !== undefined,
  )
  if (ungenerated.length > 0) {
    const names = ungenerated.map(({ kind, object }) => `${kind} ${object.metadata.name}`)
    return `${someOf(names)} changed and is not part of ${target} yet`
  }
  const isRenderable = inputs.length > 0 && inputs.every(({ problems }) => problems.length === 0)
  if (isRenderable) {
    const { name } = render(pool.metadata.name, inputs, defaultImages(controllerConfig))
    if (name === target) return undefined
  }
  const changes = changesIn(facts, previous)
  const subject =
    changes.length === 0 ? 'the inputs of this pool' : `MachineConfig ${someOf(changes)}`
  return `${subject} changed and ${target} does not include that yet`
}

/** MachineConfigs that are new, deleted, or changed since the last rendering. */
function changesIn(
  { pool, inputs }: PoolRenderFacts,
  previous: readonly RenderInput[] = [],
): string[] {
  const before = new Set(pool.spec.configuration?.source?.map(({ name }) => name))
  const rendered = new Map(previous.map((input) => [input.name, input]))
  const now = new Set(inputs.map(({ name }) => name))
  return [
    ...inputs
      .filter((input) => !before.has(input.name) || (rendered.get(input.name) ?? input) !== input)
      .map(({ name }) => name),
    ...[...before].flatMap((name) => (name === undefined || now.has(name) ? [] : [name])),
  ]
}
