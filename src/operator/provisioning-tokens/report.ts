import type { ObjectReference } from '@machinist/core/objects/resource'
import { apiVersionOf } from '@machinist/core/objects/resource'
import { timestamp } from '@machinist/core/timestamp'
import type { Pass, StepContext } from '@machinist/kube/controller/step-controller'
import { machineConfigPools } from '../../api/kinds/resources.ts'
import { actionProhibited, provisioningEvents } from '../../api/reasons.ts'
import type { TaskReports } from '../cluster-operator/tasks.ts'
import type { ProvisioningTokenResult } from './act.ts'
import type { ProvisioningTokenPlan } from './decide.ts'
import type { ProvisioningTokenFacts } from './facts.ts'
import type { ReportedSettings } from './reported-settings.ts'

export type ProvisioningTokenPass = Pass<
  ProvisioningTokenFacts,
  ProvisioningTokenPlan,
  ProvisioningTokenResult
>

/** Reports problems once: to the ClusterOperator, in an event and in the log. Emits an event for each rotation. */
export function report(
  pass: ProvisioningTokenPass,
  reports: TaskReports,
  settings: ReportedSettings,
  { events, log }: StepContext,
): void {
  const { key: name, plan, facts } = pass
  if (pass.type === 'failed') return
  const about = referenceTo(name)
  for (const problem of settings.newProblems(name, plan.settings.problems)) {
    log.info('cannot use a setting of provisioning tokens', { problem })
    events.warning(about, provisioningEvents.badTokenSettings, problem)
  }
  const problem = problemOf(pass)
  if (problem === undefined) reports.done('ProvisioningTokens', name)
  else if (reports.failed('ProvisioningTokens', name, problem)) {
    log.info('cannot maintain the provisioning token of a pool', { why: problem })
    events.warning(about, actionProhibited, problem)
  }
  const { write } = plan
  if (problem !== undefined || write.action !== 'change') return
  if (write.step === 'rotate') {
    const end = timestamp(facts.now + plan.settings.overlapMs)
    const message = `rotated the provisioning token; the previous one is valid until ${end}`
    events.normal(about, provisioningEvents.tokenRotated, message)
  } else if (write.step === 'replace') {
    const message = 'replaced the provisioning token, because it or its limits were changed'
    events.warning(about, provisioningEvents.tokenRotated, message)
  }
}

/** Why the token is not maintained. */
export function problemOf({
  plan,
  result,
}: ProvisioningTokenPass & { readonly type: 'acted' }): string | undefined {
  return plan.write.action === 'skip' ? plan.write.why : result.refusal
}

/** By name, because the pool may be deleted. */
const referenceTo = (name: string): ObjectReference => ({
  apiVersion: apiVersionOf(machineConfigPools),
  kind: machineConfigPools.kind,
  name,
})
