import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { PassOutcome } from '@machinist/kube/controller/step-controller'
import { decideAgain } from '@machinist/kube/controller/step-controller'
import { isOpen } from './decide/decide.ts'
import type { TrustSources } from './gather.ts'
import type { TrustPass } from './report/report.ts'

/** When to reconcile again. What was read or written is decided about at once. */
export function next(
  pass: TrustPass & { readonly type: 'acted' },
  sources: Pick<TrustSources, 'source' | 'ledger' | 'memory'>,
): PassOutcome {
  const { plan, result } = pass
  switch (result.type) {
    case 'fetched':
    case 'applied':
    case 'backingOff':
      return decideAgain
    case 'unreachable':
      return requeueAfter(sources.memory.delay.afterFailure())
    case 'waiting':
      return plan.next.action === 'wait' ? requeueAfter(plan.next.forMs) : settled
    case 'stopped':
      return settled
    case 'settled':
      return afterReport(pass, sources)
  }
}

function afterReport(
  { facts, plan }: TrustPass,
  { source, ledger, memory }: Pick<TrustSources, 'source' | 'ledger' | 'memory'>,
): Outcome {
  const unreadable = facts.items.filter(({ observed }) => 'problem' in observed)
  for (const { item } of unreadable) memory.outdated.add(item)
  const isComplete = !source.forgetPartial() && !ledger.isUnread
  // An item is open if it became due, or its source changed, during this reconcile.
  const isSettled = isComplete && unreadable.length === 0 && !plan.decisions.some(isOpen)
  if (isSettled) memory.delay.succeeded()
  const waits = [memory.failures.waitMs(), isSettled ? undefined : memory.delay.afterFailure()]
  const waitMs = Math.min(...waits.flatMap((ms) => ms ?? []))
  return waitMs === Infinity ? settled : requeueAfter(waitMs)
}
