import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import { stepController } from '@machinist/kube/controller/step-controller'
import type { PinnedImagesCaches } from './inputs.ts'
import { pinnedImagesInputs } from './inputs.ts'
import { gather } from './gather.ts'
import { decide } from './decide.ts'
import { act } from './act.ts'
import { report } from './report.ts'
import { nodesBehind } from './nodes-behind.ts'
import { PinnedTally } from './tally.ts'

export interface PinnedImagesSettings {
  /** How long reports of nodes are batched before a pool is reconciled; 5 seconds by default. */
  readonly batchMs?: number
}

const defaultBatchMs = 5000
/** Requeue interval after a rejected write: no event announces changed RBAC or admission rules. */
const requeueMs = 300_000

/** Sets the PinnedImageSets of pools and reports the progress of their nodes. Keys are pool names. Create one per run. */
export function pinnedImagesController(
  context: ControllerContext,
  caches: PinnedImagesCaches,
  { batchMs = defaultBatchMs }: PinnedImagesSettings = {},
): Controller {
  const tally = new PinnedTally()
  const behind = nodesBehind(context.metrics)
  return stepController(context, {
    name: 'pinned-images',
    inputs: pinnedImagesInputs(caches, tally, context.clock, batchMs),
    outputs: ['MachineConfigPool'],
    gather: (pool) => gather(pool, caches, tally),
    decide,
    act,
    report: (pass, step) => report(pass, step, behind),
    next: ({ result }) => (result.refusal === undefined ? settled : requeueAfter(requeueMs)),
    forget: (pool) => behind.forget(pool),
  })
}
