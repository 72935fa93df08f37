import type { Pass, StepContext } from '@machinist/kube/controller/step-controller'
import type { RequestResult } from './act.ts'
import type { RequestPlan } from './decide.ts'
import { tooMany } from './decide.ts'
import type { RequestFacts } from './facts.ts'
import { isDue } from './refusal-timing.ts'
import type { RequestReporter } from './request-reporter.ts'

export type RequestPass = Pass<RequestFacts, RequestPlan, RequestResult>

/** Events and metrics; the status of a request belongs to its approver and its signer. */
export function report(
  pass: RequestPass,
  { log }: Pick<StepContext, 'log'>,
  reporter: RequestReporter,
): void {
  const { facts } = pass
  if (!tooMany(facts)) reporter.endFlood()
  // The retry reports.
  if (pass.type === 'failed') return
  const { request } = facts
  const { result } = pass
  if (result.type === 'approved') {
    reporter.approved(request)
    const { kind, node } = result.claim
    log.info('approved a certificate request', { kind, node })
  } else if (result.type === 'left') {
    const { refusal } = result
    if (refusal.check === 'TooMany') reporter.flood(request, refusal, log)
    else reporter.left(request, refusal, isDue(refusal, facts), log)
  }
}
