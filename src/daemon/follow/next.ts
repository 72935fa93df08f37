import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { PassOutcome } from '@machinist/kube/controller/step-controller'
import { decideAgain } from '@machinist/kube/controller/step-controller'
import type { FollowMemory } from './memory.ts'
import type { FollowPass } from './report.ts'

type ActedPass = FollowPass & { readonly type: 'acted' }

/** When to reconcile again. An action that changed the facts is followed by another decision. */
export function next(pass: ActedPass, memory: FollowMemory): PassOutcome {
  const outcome = outcomeOf(pass, memory)
  if (outcome.type !== 'decideAgain') memory.resetErrors()
  return outcome
}

function outcomeOf({ plan, result }: ActedPass, memory: FollowMemory): PassOutcome {
  const { next: decided } = plan
  const { action } = decided
  if (action === 'wait') return decided.forMs === undefined ? settled : requeueAfter(decided.forMs)
  if (action === 'degrade' || action === 'unreconcilable') {
    return requeueAfter(memory.recheckDelayMs())
  }
  const isOver = action === 'ignore' || action === 'done'
  const isStopping = result.type === 'rebooting' || result.type === 'parked'
  return isOver || isStopping ? settled : decideAgain
}
