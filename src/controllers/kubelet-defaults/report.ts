import type { ObjectReference } from '@machinist/core/objects/resource'
import { referenceTo } from '@machinist/core/objects/resource'
import type { Pass, StepContext } from '@machinist/kube/controller/step-controller'
import { isNotFound } from '@machinist/kube/failure'
import type { ConditionReport } from '../../api/conditions.ts'
import { conditionOf, kubeletDefaultsDegraded, maxMessageLength } from '../../api/conditions.ts'
import { apiServers, featureGates, nodeConfigs } from '../../api/openshift-config.ts'
import { actionProhibited, clusterSettingsReasons, settingsEvents } from '../../api/reasons.ts'
import { isReportable } from '../generated/reportable.ts'
import type { StoreProblem } from '../generated/store.ts'
import { writePoolConditions } from '../render/pool-conditions.ts'
import type { KubeletDefaultsPlan, ReportedProblem } from './decide.ts'
import type { KubeletDefaultsFacts } from './facts.ts'
import type { DefaultsProblem } from './role-defaults.ts'

export type KubeletDefaultsPass = Pass<
  KubeletDefaultsFacts,
  KubeletDefaultsPlan,
  readonly StoreProblem[]
>

/** Sets a condition on a pool with a problem, past or present, and emits events on the causing objects when it changes. */
export async function report(
  pass: KubeletDefaultsPass,
  { client, events, log, signal }: Pick<StepContext, 'client' | 'events' | 'log' | 'signal'>,
): Promise<void> {
  const { facts, plan } = pass
  if (plan.type === 'wait') return
  const refused = pass.type === 'acted' ? pass.result : []
  const problems = [...plan.problems, ...refused.map(refusedProblem)]
  if (!isReportable(pass, problems)) return
  await reportProblems(facts, problems, { client, events, signal })
  for (const { message } of problems) log.info('cannot apply kubelet defaults', { why: message })
}

const refusedProblem = ({ why, message }: StoreProblem): ReportedProblem => ({
  reason: clusterSettingsReasons[why],
  message,
})

async function reportProblems(
  facts: KubeletDefaultsFacts,
  problems: readonly ReportedProblem[],
  { client, events, signal }: Pick<StepContext, 'client' | 'events' | 'signal'>,
): Promise<void> {
  const { pool } = facts.settings
  const before = conditionOf(pool.status?.conditions, kubeletDefaultsDegraded)
  if (!before && problems.length === 0) return
  const condition = degradedCondition(problems)
  try {
    await writePoolConditions(pool, [condition], client, signal)
  } catch (error) {
    if (isNotFound(error)) return
    throw error
  }
  if (before?.status === condition.status && before.message === condition.message) return
  for (const { message, source } of problems) {
    const about = source && causeOf(source, facts)
    const reason = source?.isProhibited ? actionProhibited : settingsEvents.settingsFailed
    if (about) events.warning(about, reason, message)
  }
}

function degradedCondition(problems: readonly ReportedProblem[]): ConditionReport {
  const type = kubeletDefaultsDegraded
  const [first] = problems
  if (!first) {
    return { type, status: 'False', reason: clusterSettingsReasons.asExpected, message: '' }
  }
  const all = problems.map((problem) => problem.message).join('; ')
  const message = `${all}; nodes keep the last valid values`
  return { type, status: 'True', reason: first.reason, message: message.slice(0, maxMessageLength) }
}

/** The object with the invalid setting; undefined if it does not exist. */
function causeOf(
  { kind }: DefaultsProblem,
  { role }: KubeletDefaultsFacts,
): ObjectReference | undefined {
  if (!role || !('facts' in role)) return undefined
  const { node, apiServer, featureGate } = role.facts
  if (kind === 'Node') return node && referenceTo(nodeConfigs, node)
  if (kind === 'APIServer') return apiServer && referenceTo(apiServers, apiServer)
  return featureGate && referenceTo(featureGates, featureGate)
}
