import type { Gauge } from '@machinist/core/metrics'
import { referenceTo } from '@machinist/core/objects/resource'
import { timestamp } from '@machinist/core/timestamp'
import { modify } from '@machinist/kube/client/modify'
import type { Pass, StepContext } from '@machinist/kube/controller/step-controller'
import { isNotFound } from '@machinist/kube/failure'
import type { ConditionReport } from '../../api/conditions.ts'
import { certificatesHeld, conditionOf, setCondition } from '../../api/conditions.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { machineConfigPools } from '../../api/kinds/resources.ts'
import type { HeldCertificatesPlan } from './decide.ts'
import type { HeldCertificatesFacts } from './facts.ts'

export type HeldCertificatesPass = Pass<HeldCertificatesFacts, HeldCertificatesPlan>

/** The metric, and the condition and an event if the condition changes. */
export async function report(
  { key, facts, plan }: HeldCertificatesPass,
  context: StepContext,
  until: Gauge<'pool'>,
): Promise<void> {
  until.set({ pool: key }, plan.metric)
  if (!plan.report || !changesCondition(facts, plan.report)) return
  if (await writeCondition(facts, plan.report, context)) emitChange(facts, plan.report, context)
}

function changesCondition({ pool, now }: HeldCertificatesFacts, report: ConditionReport): boolean {
  const before = pool.status?.conditions
  return setCondition(before, report, timestamp(now)) !== before
}

/** One write, which keeps the conditions of other controllers. Returns whether the pool exists. */
async function writeCondition(
  { pool, now }: HeldCertificatesFacts,
  report: ConditionReport,
  { client, signal }: StepContext,
): Promise<boolean> {
  const change = (current: MachineConfigPool): MachineConfigPool => {
    const conditions = setCondition(current.status?.conditions, report, timestamp(now))
    return { ...current, status: { ...current.status, conditions: [...conditions] } }
  }
  const key = { name: pool.metadata.name }
  try {
    await modify(client, machineConfigPools, key, change, { subresource: 'status', signal })
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

/** Not for a new number of days only. */
function emitChange(
  { pool }: HeldCertificatesFacts,
  { status, reason, message = '' }: ConditionReport,
  { events, log }: StepContext,
): void {
  const before = conditionOf(pool.status?.conditions, certificatesHeld)
  if (before?.status === status && before.reason === reason) return
  log.info('reported certificates of a paused pool', { status, why: reason })
  if (status !== 'True') return
  events.warning(referenceTo(machineConfigPools, pool), 'CertificatesHeld', message)
}
