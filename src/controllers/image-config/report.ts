import { conditionOf, imageConfigDegraded } from '../../api/conditions.ts'
import { names } from '../../api/names.ts'
import { images } from '../../api/openshift-config.ts'
import { clusterSettingsReasons as reasons, settingsEvents } from '../../api/reasons.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import type { Metrics } from '@machinist/core/metrics'
import type { ObjectReference } from '@machinist/core/objects/resource'
import { keyText } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { isNotFound } from '@machinist/kube/failure'
import { writePoolConditions } from '../render/pool-conditions.ts'
import { machineConfigName } from './act.ts'
import type { ImageConfigPlan } from './decide.ts'
import { poolCondition } from './decide.ts'
import type { SettingsFailing } from '../generated/settings-failing.ts'
import { settingsFailing } from '../generated/settings-failing.ts'
import type { Problem } from './model/problem.ts'

export interface ReportOptions {
  readonly client: KubeClient
  readonly events: EventRecorder
  readonly signal: AbortSignal
}

/** Sets a condition on each pool with a problem, past or present, and emits an event on the causing object for new problems. */
export async function reportProblems(
  plans: ReadonlyMap<Readonly<MachineConfigPool>, ImageConfigPlan>,
  { client, events, signal }: ReportOptions,
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

function isReported(
  { metadata, status }: Readonly<MachineConfigPool>,
  plan: ImageConfigPlan,
): boolean {
  const before = conditionOf(status?.conditions, imageConfigDegraded)
  const report = poolCondition(machineConfigName(metadata.name), plan)
  return before?.status === report.status && before.message === report.message
}

/** The metric of objects that are invalid, in whole or in part. */
export class FailingObjects {
  readonly #gauge: SettingsFailing
  readonly #reported = new Map<string, { readonly kind: string; readonly name: string }>()

  constructor(metrics: Metrics) {
    this.#gauge = settingsFailing(metrics)
  }

  /** `problems` is undefined if the cluster has no image settings. */
  report(problems: readonly Problem[] | undefined): void {
    const failing = new Set<string>()
    const image = { kind: images.kind, name: names.clusterConfig }
    if (problems) this.#set(failing, image, problems.length > 0 ? 1 : 0)
    for (const { about } of problems ?? []) if (about) this.#set(failing, about, 1)
    for (const [key, series] of this.#reported) {
      if (failing.has(key)) continue
      this.#gauge.forget(series)
      this.#reported.delete(key)
    }
  }

  #set(failing: Set<string>, about: ObjectReference, value: number): void {
    const { kind = '', namespace, name = '' } = about
    const series = { kind, name: keyText({ name, ...(namespace !== undefined && { namespace }) }) }
    const key = `${series.kind} ${series.name}`
    failing.add(key)
    this.#reported.set(key, series)
    this.#gauge.set(series, value)
  }
}
