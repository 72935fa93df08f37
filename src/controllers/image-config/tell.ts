import { conditionOf, imageConfigDegraded } from '../../api/conditions.ts'
import { names } from '../../api/names.ts'
import { images } from '../../api/openshift-config.ts'
import { clusterSettingsReasons as reasons, settingsEvents } from '../../api/reasons.ts'
import type { MachineConfigPool } from '../../api/resources.ts'
import type { Metrics } from '@machinist/core/metrics'
import type { ObjectReference } from '@machinist/core/resource'
import { keyText } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { isNotFound } from '@machinist/kube/failure'
import { showConditions } from '../render/pool-condition.ts'
import { machineConfigName } from './act.ts'
import type { PoolPlan } from './decide.ts'
import { reportOf } from './decide.ts'
import type { SettingsFailing } from '../generated/settings-failing.ts'
import { settingsFailing } from '../generated/settings-failing.ts'
import type { Problem } from './problem.ts'

export interface TellOptions {
  readonly client: KubeClient
  readonly events: EventRecorder
  readonly signal: AbortSignal
}

/** One condition on each pool, written once it ever held; an event on what is the cause when it is new. */
export async function tell(
  verdicts: ReadonlyMap<Readonly<MachineConfigPool>, PoolPlan>,
  { client, events, signal }: TellOptions,
): Promise<void> {
  const toldBefore = [...verdicts.keys()].flatMap((pool) => {
    const before = conditionOf(pool.status?.conditions, imageConfigDegraded)
    return before?.status === 'True' ? (before.message ?? '') : []
  })
  const isNew = ({ message }: Problem): boolean =>
    !toldBefore.some((before) => before.includes(message))
  // A condition has no room for very many: what it leaves out is no news as long as it stays the same.
  const news = [...verdicts].flatMap(([pool, verdict]) =>
    saysAlready(pool, verdict) ? [] : verdict.problems.filter(isNew),
  )
  const { registriesFailed, payloadProtected } = settingsEvents
  for (const [message, [problem]] of Map.groupBy(news, (one) => one.message)) {
    const isProtected = problem!.reason === reasons.payloadProtected
    const reason = isProtected ? payloadProtected : registriesFailed
    if (problem!.about) events.warning(problem!.about, reason, message)
  }
  for (const [pool, verdict] of verdicts) {
    const before = conditionOf(pool.status?.conditions, imageConfigDegraded)
    if (!before && verdict.problems.length === 0) continue
    const report = reportOf(machineConfigName(pool.metadata.name), verdict)
    try {
      await showConditions(pool, [report], client, signal)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
}

function saysAlready(
  { metadata, status }: Readonly<MachineConfigPool>,
  verdict: PoolPlan,
): boolean {
  const said = conditionOf(status?.conditions, imageConfigDegraded)
  const report = reportOf(machineConfigName(metadata.name), verdict)
  return said?.status === report.status && said.message === report.message
}

/** Which objects cannot be used, or not all of them. */
export class FailingObjects {
  readonly #gauge: SettingsFailing
  readonly #shown = new Map<string, { readonly kind: string; readonly name: string }>()

  constructor(metrics: Metrics) {
    this.#gauge = settingsFailing(metrics)
  }

  /** Undefined where nobody says anything, and so nothing can fail. */
  show(problems: readonly Problem[] | undefined): void {
    const failing = new Set<string>()
    const image = { kind: images.kind, name: names.clusterConfig }
    if (problems) this.#set(failing, image, problems.length > 0 ? 1 : 0)
    for (const { about } of problems ?? []) if (about) this.#set(failing, about, 1)
    for (const [key, series] of this.#shown) {
      if (failing.has(key)) continue
      this.#gauge.forget(series)
      this.#shown.delete(key)
    }
  }

  #set(failing: Set<string>, about: ObjectReference, value: number): void {
    const { kind = '', namespace, name = '' } = about
    const series = { kind, name: keyText({ name, ...(namespace !== undefined && { namespace }) }) }
    const key = `${series.kind} ${series.name}`
    failing.add(key)
    this.#shown.set(key, series)
    this.#gauge.set(series, value)
  }
}
