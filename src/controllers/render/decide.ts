import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { PoolHold } from '../../fleet/pools/hold.ts'
import type { RenderedConfig } from '../../fleet/render/renderer.ts'
import type { RenderBlock } from './block.ts'
import type { RenderFunction } from './checked-render.ts'
import { renderChecked } from './checked-render.ts'
import type { ReadPoolFacts, RenderFacts } from './facts.ts'
import { holdIn } from './hold.ts'
import { pendingChange } from './pending.ts'

/** What happens to the rendered configs of a pool. `nextPhase` follows in the same reconcile. */
export type RenderPlan =
  | {
      readonly action: 'delete'
      readonly configs: readonly MachineConfig[]
      readonly nextPhase?: 'render'
    }
  /** For more changes, until the batch window closes. */
  | { readonly action: 'wait'; readonly afterMs: number; readonly pending?: string }
  /** The pool keeps the config of another controller. */
  | { readonly action: 'hold'; readonly hold: PoolHold }
  /** To another operator's controller, which renders the pool. */
  | { readonly action: 'leave' }
  | {
      readonly action: 'render'
      readonly rendered: RenderedConfig
      /** Likely mistakes in the MachineConfigs, as sentences. */
      readonly warnings: readonly string[]
      readonly pending?: string
      readonly nextPhase: 'prune'
    }
  | {
      readonly action: 'block'
      /** The name of the check that failed. */
      readonly check: string
      readonly block: RenderBlock
      /** Why the rendered config does not match the inputs of the pool; undefined if it does. */
      readonly pending?: string
    }

/** Pure: `render` caches, and gives the same result for the same inputs. */
export function decide(facts: RenderFacts, render: RenderFunction): RenderPlan {
  switch (facts.type) {
    case 'obsolete': {
      const { phase, configs } = facts
      return { action: 'delete', configs, ...(phase === 'release' && { nextPhase: 'render' }) }
    }
    case 'batching':
      return { action: 'wait', afterMs: facts.windowMs }
    case 'pool':
      return decidePool(facts, render)
  }
}

function decidePool(facts: ReadPoolFacts, render: RenderFunction): RenderPlan {
  const { windowMs, isOfOtherOperator, previousInputs } = facts
  const hold = holdIn(facts, render)
  if (hold) return windowMs > 0 ? { action: 'wait', afterMs: windowMs } : { action: 'hold', hold }
  if (isOfOtherOperator) return { action: 'leave' }
  const change = pendingChange(facts, render, previousInputs)
  const pending = change === undefined ? {} : { pending: change }
  if (windowMs > 0) return { action: 'wait', afterMs: windowMs, ...pending }
  const checked = renderChecked(facts, render)
  if (checked.type === 'rendered') {
    const { rendered, warnings } = checked
    return { action: 'render', rendered, warnings, ...pending, nextPhase: 'prune' }
  }
  const { check, block } = checked
  return { action: 'block', check, block, ...pending }
}
