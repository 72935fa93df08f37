import type { DecisionChain } from '@machinist/kube/controller/decision-chain'
import type { DefaultImages } from '../../fleet/render/merge-inputs.ts'
import type { RenderInput } from '../../fleet/render/read-input.ts'
import type { RenderedConfig } from '../../fleet/render/renderer.ts'
import type { RenderBlock } from './block.ts'
import type { PoolRenderFacts } from './facts.ts'
import { inputChain } from './input-checks.ts'
import { warningsOf } from './mistakes.ts'
import { renderedChain } from './rendered-checks.ts'

export type CheckedRender =
  /** `warnings`: likely mistakes in the MachineConfigs, as sentences. */
  | {
      readonly type: 'rendered'
      readonly rendered: RenderedConfig
      readonly warnings: readonly string[]
    }
  /** `check` is the name of the check that failed. */
  | { readonly type: 'blocked'; readonly check: string; readonly block: RenderBlock }

/** Merges inputs; the controller's function caches the last result of each pool. */
export type RenderFunction = (
  pool: string,
  inputs: readonly RenderInput[],
  images: DefaultImages,
) => RenderedConfig

/** One rendered config, or the first reason why there is none. */
export function renderChecked(
  facts: PoolRenderFacts,
  render: RenderFunction,
  inputChecks: Pick<DecisionChain<PoolRenderFacts, RenderBlock>, 'evaluate'> = inputChain,
): CheckedRender {
  const blocked = inputChecks.evaluate(facts)
  if (blocked) return { type: 'blocked', check: blocked.check, block: blocked.result }
  const { pool, inputs, controllerConfig } = facts
  const rendered = render(pool.metadata.name, inputs, defaultImages(controllerConfig))
  const rejected = renderedChain.evaluate({ rendered, facts })
  if (rejected) return { type: 'blocked', check: rejected.check, block: rejected.result }
  return { type: 'rendered', rendered, warnings: warningsOf(inputs) }
}

export function defaultImages(
  controllerConfig: PoolRenderFacts['controllerConfig'],
): DefaultImages {
  const { baseOSContainerImage = '', baseOSExtensionsContainerImage = '' } =
    controllerConfig?.spec ?? {}
  return { osImageURL: baseOSContainerImage, baseOSExtensionsContainerImage }
}
