import { Waiting } from '@machinist/core/errors'
import type { Pass, StepContext } from '@machinist/kube/controller/step-controller'
import { isRefused } from '@machinist/kube/failure'
import type { ItemDecision } from '../decide/decide-item.ts'
import type { TrustPlan } from '../decide/decide.ts'
import type { ItemFacts, TrustFacts, TrustResult } from '../facts/facts.ts'
import type { ItemHandler } from '../items/item.ts'
import type { TrustMemory } from '../memory/memory.ts'
import type { ItemReport } from './node-trust.ts'
import type { TrustReporter } from './status-reporter.ts'

export type TrustPass = Pass<TrustFacts, TrustPlan, TrustResult>

export interface TrustReportContext extends Pick<StepContext, 'log' | 'signal'> {
  readonly reporter: TrustReporter
  readonly handlers: readonly ItemHandler[]
  readonly memory: TrustMemory
}

/** Requeue interval after a rejected write: only a change in the cluster can help. */
const refusedMs = 600_000

/** Reports the state of all items, once they are settled. */
export async function report(pass: TrustPass, context: TrustReportContext): Promise<void> {
  if (pass.type === 'failed' || pass.plan.next.action !== 'settle') return
  const { facts, plan } = pass
  const { reporter, handlers, memory, log, signal } = context
  const reports = plan.decisions.map((decision, at) =>
    itemReport(decision, facts.items[at]!, handlers[at]!),
  )
  const written = memory.takeWritten()
  try {
    await reporter.report({ observed: facts.config, reports, written }, signal)
  } catch (error) {
    if (signal.aborted) return
    log.error('cannot report the trust of this node', error)
    const retryMs = isRefused(error) ? refusedMs : memory.delay.afterFailure()
    const afterMs = Math.min(retryMs, memory.failures.waitMs() ?? retryMs)
    throw new Waiting('NotReported', 'the trust of this node could not be reported', afterMs)
  }
}

function itemReport(
  decision: ItemDecision,
  { observed, failure }: ItemFacts,
  { source }: ItemHandler,
): ItemReport {
  // Only a failed item has failed holdings that matter still.
  const failures = decision.state === 'Failed' ? failure?.holdings : undefined
  return {
    source,
    decision,
    ...(!('problem' in observed) && { observed }),
    ...(failures && { failures }),
  }
}
