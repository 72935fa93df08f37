import { checks } from './checks.ts'
import type { Facts } from './facts.ts'
import type { Block, Gate } from './gates.ts'
import { gates } from './gates.ts'
import type { DefaultImages } from '../../fleet/render/merge-inputs.ts'
import { warningsOf } from './mistakes.ts'
import type { RenderInput } from '../../fleet/render/read-input.ts'
import type { Rendered } from '../../fleet/render/renderer.ts'

export type Decision =
  /** `warnings`: what the MachineConfigs say that was probably not meant, in sentences. */
  | {
      readonly type: 'rendered'
      readonly rendered: Rendered
      readonly warnings: readonly string[]
    }
  /** `policy` is the name of the gate or check that did not hold. */
  | { readonly type: 'blocked'; readonly policy: string; readonly block: Block }

/** Merges what goes through the gates; the controller's one remembers what it merged last. */
export type Render = (
  pool: string,
  inputs: readonly RenderInput[],
  images: DefaultImages,
) => Rendered

/** What becomes of a pool's MachineConfigs: one configuration, or the first reason why not. */
export function decide(
  facts: Facts,
  render: Render,
  through: Readonly<Record<string, Gate>> = gates,
): Decision {
  for (const [policy, gate] of Object.entries(through)) {
    const block = gate(facts)
    if (block) return { type: 'blocked', policy, block }
  }
  const { pool, inputs, controllerConfig } = facts
  const rendered = render(pool.metadata.name, inputs, defaultImages(controllerConfig))
  for (const [policy, check] of Object.entries(checks)) {
    const block = check(rendered, facts)
    if (block) return { type: 'blocked', policy, block }
  }
  return { type: 'rendered', rendered, warnings: warningsOf(inputs) }
}

export function defaultImages(controllerConfig: Facts['controllerConfig']): DefaultImages {
  const { baseOSContainerImage = '', baseOSExtensionsContainerImage = '' } =
    controllerConfig?.spec ?? {}
  return { osImageURL: baseOSContainerImage, baseOSExtensionsContainerImage }
}
