import { sameJson } from '@machinist/core/encoding/json'
import type { Condition } from '@machinist/core/objects/resource'
import { keyOf } from '@machinist/core/objects/resource'
import { modify } from '@machinist/kube/client/modify'
import type { StepContext } from '@machinist/kube/controller/step-controller'
import { timestamp } from '@machinist/core/timestamp'
import type { ConditionReport } from '../../api/conditions.ts'
import {
  controllerConfigConditions,
  roleOfTemplatesFailing,
  roleTemplatesFailing,
  setCondition,
  maxMessageLength,
} from '../../api/conditions.ts'
import type { ControllerConfigStatus } from '../../api/kinds/controller-config.ts'
import { templateReasons } from '../../api/reasons.ts'
import type { ControllerConfig } from '../../api/kinds/resources.ts'
import { controllerConfigs } from '../../api/kinds/resources.ts'
import { certificatesOf } from './certificates.ts'
import type { RoleProblem } from './roles.ts'

/** The state of one role. */
export interface RoleReport {
  readonly role: string
  readonly problem?: RoleProblem
  /** A failure that is retried. */
  readonly unfinished?: string
}

/** Whether all MachineConfigs of the role are stored. */
export function isStored({ problem, unfinished }: RoleReport): boolean {
  return problem === undefined && unfinished === undefined
}

/** The roles with problems. */
export function problemsOf(
  reports: readonly RoleReport[],
): { readonly role: string; readonly problem: RoleProblem }[] {
  return reports.flatMap(({ role, problem }) => (problem ? [{ role, problem }] : []))
}

/** The status after a reconcile of all roles, for the observed generation. */
export function statusAfter(
  controllerConfig: ControllerConfig,
  reports: readonly RoleReport[],
  now: number,
): ControllerConfigStatus {
  const { metadata, status = {} } = controllerConfig
  const roles = new Set(reports.map(({ role }) => role))
  const isOfCurrentRole = ({ type }: Condition): boolean => {
    const role = roleOfTemplatesFailing(type)
    return role === undefined || roles.has(role)
  }
  let conditions: readonly Condition[] = (status.conditions ?? []).filter(isOfCurrentRole)
  for (const report of conditionsFor(reports)) {
    conditions = setCondition(conditions, report, timestamp(now))
  }
  return {
    ...status,
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
    conditions: [...conditions],
    controllerCertificates: certificatesOf(controllerConfig),
  }
}

/** One write, or none if the status is up to date. */
export async function writeStatus(
  controllerConfig: ControllerConfig,
  reports: readonly RoleReport[],
  { client, clock, signal }: Pick<StepContext, 'client' | 'clock' | 'signal'>,
): Promise<void> {
  const now = clock.now()
  const desired = statusAfter(controllerConfig, reports, now)
  if (sameJson(desired, controllerConfig.status)) return
  const change = (current: ControllerConfig): ControllerConfig => ({
    ...current,
    status: statusAfter({ ...controllerConfig, status: current.status ?? {} }, reports, now),
  })
  const key = keyOf(controllerConfig)
  await modify(client, controllerConfigs, key, change, { subresource: 'status', signal })
}

function conditionsFor(reports: readonly RoleReport[]): ConditionReport[] {
  const { running, completed, failing } = controllerConfigConditions
  const { asExpected, inProgress } = templateReasons
  const failed = problemsOf(reports)
  const unfinished = reports.filter((report) => report.unfinished !== undefined)
  const failedText = failed.map(({ role, problem }) => `${role}: ${problem.message}`).join('; ')
  const unfinishedText = unfinished.length > 0 ? unfinishedMessage(unfinished) : ''
  const why = failed[0]?.problem.reason ?? (unfinished.length > 0 ? inProgress : asExpected)
  const isDone = why === asExpected
  const condition = (
    type: string,
    holds: boolean,
    reason: string,
    message: string,
  ): ConditionReport => ({
    type,
    status: holds ? 'True' : 'False',
    reason,
    message: message.slice(0, maxMessageLength),
  })
  return [
    condition(
      running,
      unfinished.length > 0,
      unfinished.length > 0 ? inProgress : asExpected,
      unfinishedText,
    ),
    condition(completed, isDone, why, isDone ? doneMessage(reports) : ''),
    condition(failing, failed.length > 0, failed[0]?.problem.reason ?? asExpected, failedText),
    ...reports.map(({ role, problem }) =>
      condition(
        roleTemplatesFailing(role),
        problem !== undefined,
        problem?.reason ?? asExpected,
        problem?.message ?? '',
      ),
    ),
  ]
}

const doneMessage = (reports: readonly RoleReport[]): string =>
  `the MachineConfigs of ${reports.map(({ role }) => role).join(', ')} are up to date`

function unfinishedMessage(reports: readonly RoleReport[]): string {
  const why = new Set(reports.flatMap(({ unfinished }) => unfinished || []))
  const roles = reports.map(({ role }) => role).join(', ')
  return `not all MachineConfigs of ${roles} are stored yet${why.size > 0 ? `: ${[...why].join('; ')}` : ''}`
}
