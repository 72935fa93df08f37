import type { Pass, StepContext } from '@machinist/kube/controller/step-controller'
import { isNotFound } from '@machinist/kube/failure'
import { conditionOf, imageConfigDegraded } from '../../api/conditions.ts'
import { clusterSettingsReasons as reasons, settingsEvents } from '../../api/reasons.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { isReportable } from '../generated/reportable.ts'
import { writePoolConditions } from '../render/pool-conditions.ts'
import type { ImageConfigResult } from './act.ts'
import type { ImageConfigPlan } from './decide.ts'
import type { FailingObjects } from './failing-objects.ts'
import type { ImageConfigFacts } from './facts.ts'
import type { Problem } from './model/problem.ts'
import { machineConfigName } from './names.ts'
import type { OverruledPolicies } from './overruled-policies.ts'
import type { PoolPlan } from './pool-plan.ts'
import { poolCondition } from './pool-plan.ts'

export type ImageConfigPass = Pass<ImageConfigFacts, ImageConfigPlan, ImageConfigResult>

export interface ImageConfigReportContext extends Pick<
  StepContext,
  'client' | 'events' | 'log' | 'signal'
> {
  readonly failing: FailingObjects
  readonly overruled: OverruledPolicies
}

/** The metric, events, and conditions of pools and ImagePolicies. */
export async function report(
  pass: ImageConfigPass,
  { failing, overruled, ...step }: ImageConfigReportContext,
): Promise<void> {
  const { image } = pass.facts
  const { settings } = pass.plan
  const pools = reportedPools(pass)
  const problems = [...pools.values()].flatMap((plan) => plan.problems)
  const all = [...(settings?.problems ?? []), ...problems]
  if (!isReportable(pass, all)) return
  failing.report(image && all)
  await reportProblems(pools, step)
  for (const message of new Set(problems.map((problem) => problem.message))) {
    step.log.info('cannot apply all image settings of the cluster', { why: message })
  }
  await overruled.report(settings?.signatures.overruled ?? [], step)
}

/** Pools whose MachineConfig could be written or is not needed, with the problems of the write. */
function reportedPools(pass: ImageConfigPass): Map<Readonly<MachineConfigPool>, PoolPlan> {
  const pools = [...pass.plan.pools]
  if (pass.type === 'failed')
    return new Map(pools.filter(([, { problems }]) => problems.length > 0))
  const { problems: rejected, failures } = pass.result
  const written = pools.filter(([pool]) => !failures.has(pool))
  return new Map(
    written.map(([pool, plan]) => {
      const problem = rejected.get(pool)
      if (!problem) return [pool, plan]
      const { why, message } = problem
      const held: Problem = { reason: reasons[why], effect: 'held', message }
      return [pool, { ...plan, problems: [held, ...plan.problems] }]
    }),
  )
}

/** Sets a condition on each pool with a problem, past or present, and emits an event on the causing object for new problems. */
export async function reportProblems(
  plans: ReadonlyMap<Readonly<MachineConfigPool>, PoolPlan>,
  { client, events, signal }: Pick<StepContext, 'client' | 'events' | 'signal'>,
): Promise<void> {
  const reportedBefore = [...plans.keys()].flatMap((pool) => {
    const before = conditionOf(pool.status?.conditions, imageConfigDegraded)
    return before?.status === 'True' ? (before.message ?? '') : []
  })
  const isNew = ({ message }: Problem): boolean =>
    !reportedBefore.some((before) => before.includes(message))
  // The message is truncated: while it stays the same, the problems that it omits are not new either.
  const news = [...plans].flatMap(([pool, plan]) =>
    isReported(pool, plan) ? [] : plan.problems.filter(isNew),
  )
  const { registriesFailed, payloadProtected } = settingsEvents
  for (const [message, [problem]] of Map.groupBy(news, (one) => one.message)) {
    const isProtected = problem!.reason === reasons.payloadProtected
    const reason = isProtected ? payloadProtected : registriesFailed
    if (problem!.about) events.warning(problem!.about, reason, message)
  }
  for (const [pool, plan] of plans) {
    const before = conditionOf(pool.status?.conditions, imageConfigDegraded)
    if (!before && plan.problems.length === 0) continue
    const report = poolCondition(machineConfigName(pool.metadata.name), plan)
    try {
      await writePoolConditions(pool, [report], client, signal)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
}

function isReported({ metadata, status }: Readonly<MachineConfigPool>, plan: PoolPlan): boolean {
  const before = conditionOf(status?.conditions, imageConfigDegraded)
  const report = poolCondition(machineConfigName(metadata.name), plan)
  return before?.status === report.status && before.message === report.message
}
