import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { PassOutcome } from '@machinist/kube/controller/step-controller'
import { decideAgain } from '@machinist/kube/controller/step-controller'
import type { PinnedImagesFacts } from './facts.ts'
import type { PinnedImagesMemory } from './memory.ts'
import type { PinnedImagesPass } from './report.ts'

/** When to reconcile again. Read sets and a reported release are followed by another decision. */
export function next(
  { facts, plan, result }: PinnedImagesPass & { readonly type: 'acted' },
  memory: PinnedImagesMemory,
  stop: AbortSignal,
): PassOutcome {
  switch (result.type) {
    case 'read':
    case 'released':
      return decideAgain
    case 'interrupted':
      return stop.aborted ? settled : requeueAfter(0)
    case 'prefetched':
      return afterPrefetch(result.isComplete, facts, memory)
    case 'done':
      return plan.action === 'wait' ? requeueAfter(plan.forMs) : settled
  }
}

function afterPrefetch(
  isComplete: boolean,
  { desired, notes }: PinnedImagesFacts,
  memory: PinnedImagesMemory,
): Outcome {
  if (!isComplete) return requeueAfter(memory.afterFailure())
  memory.succeeded()
  const isAnnounced = notes?.digest === desired.digest
  return requeueAfter(isAnnounced ? memory.beforeSweep() : memory.beforeReread())
}
