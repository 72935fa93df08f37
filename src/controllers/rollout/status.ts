import type { Condition } from '@machinist/core/objects/resource'
import type { ConditionReport } from '../../api/conditions.ts'
import { conditionOf, isCondition, poolConditions, setCondition } from '../../api/conditions.ts'
import type { MachineConfigPoolStatus } from '../../api/kinds/machine-config-pool.ts'
import { certificateBundles } from '../../api/names.ts'
import { updatedReasons } from '../../api/reasons.ts'
import { isDegraded } from '../../fleet/rollout/node-facts.ts'
import { isAllUpdated } from '../../fleet/rollout/situation.ts'
import type { RolloutSituation } from '../../fleet/rollout/situation.ts'
import { andMore, shortened, formatTarget } from '../../fleet/rollout/wording.ts'
import type { RolloutPlan } from './decide.ts'
import { budgetDegraded, degradedBy, selectionDegraded } from './reasons.ts'
import { updatingReport } from './updating.ts'

/** The desired status of the pool; fields and conditions of other controllers stay as they are. */
export function statusOf(plan: RolloutPlan): MachineConfigPoolStatus {
  const { situation } = plan
  const { facts, counts } = situation
  const { pool } = facts
  const before = pool.status ?? {}
  const isUpdated = isAllUpdated(situation)
  const certExpirys = certificatesOf(situation)
  return {
    ...before,
    ...(pool.metadata.generation !== undefined && { observedGeneration: pool.metadata.generation }),
    machineCount: counts.machine,
    updatedMachineCount: counts.updated,
    readyMachineCount: counts.ready,
    unavailableMachineCount: counts.unavailable,
    degradedMachineCount: counts.degraded,
    ...(isUpdated && pool.spec.configuration && { configuration: pool.spec.configuration }),
    ...(certExpirys.length > 0 && { certExpirys }),
    conditions: conditionsAfter(plan, before.conditions ?? []),
  }
}

function conditionsAfter(plan: RolloutPlan, before: readonly Condition[]): Condition[] {
  const { situation } = plan
  const now = `${new Date(situation.facts.now).toISOString().slice(0, 19)}Z`
  const reports = [updatedReport(situation), updatingReport(plan), nodeDegradedReport(situation)]
  // Only pools that ever had the problem have the condition.
  for (const report of [selectionReport(situation), budgetReport(situation)]) {
    if (report.status === 'True' || conditionOf(before, report.type)) reports.push(report)
  }
  let conditions = before
  for (const report of reports) conditions = setCondition(conditions, report, now)
  return [...setCondition(conditions, degradedReport(conditions), now)]
}

function updatedReport(situation: RolloutSituation): ConditionReport {
  const { target, facts } = situation
  const type = poolConditions.updated
  const before = conditionOf(facts.pool.status?.conditions, type)
  // The render controller knows a change that spec.configuration does not include yet.
  if (before?.reason === updatedReasons.renderPending) return before
  if (!target || !isAllUpdated(situation)) return { type, status: 'False', reason: '', message: '' }
  const message = `All nodes are updated with ${formatTarget(target)}`
  return { type, status: 'True', reason: '', message }
}

function nodeDegradedReport({ facts }: RolloutSituation): ConditionReport {
  const type = poolConditions.nodeDegraded
  const degraded = facts.nodes.filter(isDegraded)
  if (degraded.length === 0) return { type, status: 'False', reason: '', message: '' }
  const texts = degraded.map(
    ({ name, reason = '' }) => `Node ${name} is reporting: "${shortened(reason, 1000)}"`,
  )
  return {
    type,
    status: 'True',
    reason: `${degraded.length} nodes are reporting degraded status on sync`,
    message: andMore(texts, 10),
  }
}

function selectionReport({ facts }: RolloutSituation): ConditionReport {
  const type = selectionDegraded
  const { selectorProblem, contested } = facts
  if (selectorProblem !== undefined) {
    return { type, status: 'True', reason: 'BadSelector', message: selectorProblem }
  }
  if (contested.length === 0) return { type, status: 'False', reason: '', message: '' }
  const texts = contested.map(({ node, pools }) => `node ${node} (${pools.join(', ')})`)
  const message = `More than one custom pool selects ${andMore(texts, 10)}: no pool configures it until its labels match only one`
  return { type, status: 'True', reason: 'NodeInSeveralPools', message }
}

function budgetReport({ budget }: RolloutSituation): ConditionReport {
  const type = budgetDegraded
  if (!('problem' in budget)) return { type, status: 'False', reason: '', message: '' }
  return { type, status: 'True', reason: 'InvalidMaxUnavailable', message: budget.problem }
}

/** True if one of the `degradedBy` conditions is True; combines their messages. */
function degradedReport(conditions: readonly Condition[]): ConditionReport {
  const type = poolConditions.degraded
  const bad = degradedBy.filter((each) => isCondition(conditions, each))
  if (bad.length === 0) return { type, status: 'False', reason: '', message: '' }
  const texts = bad.map((each) => {
    const message = conditionOf(conditions, each)?.message
    return message ? `${each}: ${message}` : each
  })
  return { type, status: 'True', reason: bad[0]!, message: texts.join('; ') }
}

function certificatesOf({
  facts,
}: RolloutSituation): NonNullable<MachineConfigPoolStatus['certExpirys']> {
  return facts.certificates
    .filter(({ bundleFile }) => bundleFile === certificateBundles.kubeAPIServerServingCA)
    .map(({ bundleFile: bundle, subject, notAfter: expiry }) =>
      expiry ? { bundle, subject, expiry } : { bundle, subject },
    )
}
