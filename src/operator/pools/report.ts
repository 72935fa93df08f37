import type { ObjectReference } from '@machinist/core/objects/resource'
import { apiVersionOf } from '@machinist/core/objects/resource'
import type { Pass, StepContext } from '@machinist/kube/controller/step-controller'
import { machineConfigPools } from '../../api/kinds/resources.ts'
import { actionProhibited } from '../../api/reasons.ts'
import type { TaskReports } from '../cluster-operator/tasks.ts'
import type { PoolsResult } from './act.ts'
import type { PoolsPlan } from './decide.ts'
import type { PoolsFacts } from './facts.ts'
import type { SkippedUserData } from './skipped-user-data.ts'

export type PoolsPass = Pass<PoolsFacts, PoolsPlan, PoolsResult>

/** Logs, before the writes, why a pool has no user data. */
export function announce(
  { userData }: PoolsPlan,
  { name }: PoolsFacts,
  skipped: SkippedUserData,
  { log }: StepContext,
): void {
  skipped.log(name, userData, log)
}

/** Reports a rejected write once: to the ClusterOperator, in an event and in the log. */
export function report(pass: PoolsPass, reports: TaskReports, { events, log }: StepContext): void {
  const { key: name } = pass
  if (pass.type === 'failed') return
  const { refusal } = pass.result
  if (refusal === undefined) {
    reports.done('MachineConfigPools', name)
    return
  }
  if (!reports.failed('MachineConfigPools', name, refusal)) return
  log.info('cannot write an object of a pool', { why: refusal })
  events.warning(poolReference(name), actionProhibited, refusal)
}

/** By name, because the pool may not exist. */
const poolReference = (name: string): ObjectReference => ({
  apiVersion: apiVersionOf(machineConfigPools),
  kind: machineConfigPools.kind,
  name,
})
