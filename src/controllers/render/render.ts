import { Stalled } from '@machinist/core/errors'
import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { PassOutcome } from '@machinist/kube/controller/step-controller'
import { decideAgain, stepController } from '@machinist/kube/controller/step-controller'
import type { Release } from '../../api/validation/extensions.ts'
import type { Maker } from '../../fleet/render/maker.ts'
import type { RenderInput } from '../../fleet/render/read-input.ts'
import { readInput } from '../../fleet/render/read-input.ts'
import { Renderer } from '../../fleet/render/renderer.ts'
import type { WithheldTemplates } from '../other-maker/withheld-templates.ts'
import type { RenderCaches } from './caches.ts'
import { renderInputsOf } from './inputs.ts'
import { gather } from './gather.ts'
import type { RenderFunction } from './checked-render.ts'
import { decide } from './decide.ts'
import { act } from './act.ts'
import type { RenderPass } from './report.ts'
import { announce, report } from './report.ts'
import { BatchWindow } from './batch-window.ts'
import { InputCache } from './input-cache.ts'

export interface RenderSettings {
  readonly maker: Maker
  /** The release whose merge rules apply; the newest by default. */
  readonly release?: Release
  /** Results of templates that are not stored because another controller's MachineConfigs exist. */
  readonly withheld?: WithheldTemplates
  /** How many unused rendered configs of a pool are kept; 10 by default. */
  readonly keep?: number
  /** The batch window: changes that are applied together are rolled out together; 5 s by default. */
  readonly windowMs?: number
}

/** Renders the MachineConfigs of a pool and sets spec.configuration of the pool. Keys are pool names. */
export function renderController(
  context: ControllerContext,
  caches: RenderCaches,
  { maker, release = 'main', withheld, keep = 10, windowMs = 5000 }: RenderSettings,
): Controller {
  const inputs = new InputCache((machineConfig) => readInput(machineConfig, release))
  const renderer = new Renderer(release)
  const render: RenderFunction = (...merged) => renderer.render(...merged)
  const window = new BatchWindow(context.clock, windowMs)
  const lastInputs = new Map<string, readonly RenderInput[]>()
  const overridden = context.metrics.gauge({
    name: 'os_image_url_override',
    help: '1 if the rendered config of a pool overrides the OS image of the release, else 0.',
    labels: ['pool'],
  })
  const sources = { caches, inputs, maker, release, withheld, window, lastInputs, keep }
  return stepController(context, {
    name: 'render',
    inputs: renderInputsOf(caches, { window, withheld, forget: (name) => inputs.forget(name) }),
    outputs: ['MachineConfig', 'MachineConfigPool'],
    gather: (pool, _step, phase) => gather(pool, sources, phase),
    decide: (facts) => decide(facts, render),
    announce,
    act: (plan, facts, step) => act(plan, facts, { ...step, caches, window, lastInputs }),
    report: (pass, step) => report(pass, { ...step, overridden }),
    next,
    forget(pool) {
      renderer.forget(pool)
      lastInputs.delete(pool)
      window.close(pool)
      overridden.forget({ pool })
    },
  })
}

function next({ plan, result: nextPhase }: RenderPass & { readonly type: 'acted' }): PassOutcome {
  if (nextPhase !== undefined) return decideAgain
  if (plan.action === 'wait') return requeueAfter(plan.afterMs)
  if (plan.action === 'block' && !plan.block.waiting) {
    throw new Stalled(plan.block.reason, plan.block.message)
  }
  return settled
}
