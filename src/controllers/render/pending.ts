import { defaultImages } from './decide.ts'
import type { Render } from './decide.ts'
import type { Facts } from './facts.ts'
import { someOf } from './gates.ts'
import type { RenderInput } from '../../fleet/render/read-input.ts'

/**
 * Why the rendered MachineConfig of the pool is not what its inputs ask for; undefined if it is. No gate applies: a change
 * counts from the moment it is seen, also while its rendering waits or fails. Contents are compared, so a change that gives
 * the same rendered MachineConfig does not count.
 *
 * `made` are the inputs of the last rendering, where this process has done one.
 */
export function pendingChange(
  facts: Facts,
  render: Render,
  made?: readonly RenderInput[],
): string | undefined {
  const { pool, controllerConfig, inputs, nodeSettings } = facts
  const target = pool.spec.configuration?.name
  // Without a rendered MachineConfig rollout reports Updated=False; without a ControllerConfig the OS image is unknown.
  if (!target || !controllerConfig) return undefined
  const unmade = nodeSettings.filter(
    ({ object, isMade }) => !isMade || object.metadata.deletionTimestamp !== undefined,
  )
  if (unmade.length > 0) {
    const names = unmade.map(({ kind, object }) => `${kind} ${object.metadata.name}`)
    return `${someOf(names)} changed and is not part of ${target} yet`
  }
  const isRenderable = inputs.length > 0 && inputs.every(({ problems }) => problems.length === 0)
  if (isRenderable) {
    const { name } = render(pool.metadata.name, inputs, defaultImages(controllerConfig))
    if (name === target) return undefined
  }
  const changes = changesIn(facts, made)
  const what = changes.length === 0 ? 'the inputs of this pool' : `MachineConfig ${someOf(changes)}`
  return `${what} changed and ${target} does not include that yet`
}

/** The MachineConfigs that are new, gone, or known to have other contents. */
function changesIn({ pool, inputs }: Facts, made: readonly RenderInput[] = []): string[] {
  const before = new Set(pool.spec.configuration?.source?.map(({ name }) => name))
  const rendered = new Map(made.map((input) => [input.name, input]))
  const now = new Set(inputs.map(({ name }) => name))
  return [
    ...inputs
      .filter((input) => !before.has(input.name) || (rendered.get(input.name) ?? input) !== input)
      .map(({ name }) => name),
    ...[...before].flatMap((name) => (name === undefined || now.has(name) ? [] : [name])),
  ]
}
