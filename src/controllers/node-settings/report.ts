import { sameJson } from '@machinist/core/encoding/json'
import { referenceTo } from '@machinist/core/objects/resource'
import { timestamp } from '@machinist/core/timestamp'
import { modify } from '@machinist/kube/client/modify'
import type { Pass, StepContext } from '@machinist/kube/controller/step-controller'
import { ignoreNotFound } from '@machinist/kube/failure'
import { isReportable } from '../generated/reportable.ts'
import type { SettingsFailing } from '../generated/settings-failing.ts'
import type { ReportedKind, SettingsReport } from './conditions.ts'
import { conditionsAfter, isUndecided, newEvents } from './conditions.ts'
import type { NodeSettingsPlan } from './decide.ts'
import type { NodeSettingsFacts } from './facts.ts'
import type { SettingsFailure } from './failure.ts'
import { groupByPool } from './failure.ts'
import type { NodeSettings, SettingsKind } from './settings-kind.ts'

export type NodeSettingsPass<T extends NodeSettings, Context> = Pass<
  NodeSettingsFacts<T, Context>,
  NodeSettingsPlan,
  readonly SettingsFailure[]
>

export interface NodeSettingsReportContext extends Pick<
  StepContext,
  'client' | 'events' | 'log' | 'signal'
> {
  readonly failing: SettingsFailing
}

/** The metric, events on the object, and its status. */
export async function report<T extends NodeSettings, Context>(
  pass: NodeSettingsPass<T, Context>,
  kind: SettingsKind<T, Context>,
  { failing, events, log, ...step }: NodeSettingsReportContext,
): Promise<void> {
  const { object } = pass.facts
  const { resource } = kind
  const series = { kind: resource.kind, name: object.metadata.name }
  if (object.metadata.deletionTimestamp) return failing.forget(series)
  const { overridden, waits } = pass.plan
  const failures = [...pass.plan.failures, ...(pass.type === 'acted' ? pass.result : [])]
  if (!isReportable(pass, failures)) return
  const reported = { failures, waits, ineffective: kind.ineffective(object), overridden }
  const isFailing = failures.length > 0
  if (!isUndecided(reported)) failing.set(series, isFailing ? 1 : 0)
  const about = referenceTo(resource, object)
  for (const { isFailure, reason, message } of newEvents(object, reported, resource.kind)) {
    if (isFailure) events.warning(about, reason, message)
    else events.normal(about, reason, message)
  }
  await reportStatus(object, reported, kind, step)
  if (isFailing) {
    log.info('cannot apply settings', { kind: resource.kind, why: groupByPool(failures) })
  }
}

/** Writes the status if it changes. */
export async function reportStatus<T extends NodeSettings>(
  object: Readonly<T>,
  reported: SettingsReport,
  kind: ReportedKind<T>,
  { client, signal }: Pick<StepContext, 'client' | 'signal'>,
): Promise<void> {
  const now = timestamp(client.clock.now())
  const { name, uid, generation } = object.metadata
  const isDecided = generation !== undefined && !isUndecided(reported)
  const statusAfter = ({ status }: Readonly<T>): T['status'] => {
    const conditions = conditionsAfter(status?.conditions ?? [], reported, kind, now)
    const isEmpty = conditions.length === 0 && !status?.conditions
    return {
      ...status,
      ...(isDecided && { observedGeneration: generation }),
      ...(!isEmpty && { conditions }),
    }
  }
  if (sameJson(statusAfter(object), object.status ?? {})) return
  // An object that was recreated under the same name has not been reconciled yet.
  const change = (current: T): T | undefined =>
    current.metadata.uid === uid ? { ...current, status: statusAfter(current) } : undefined
  await ignoreNotFound(
    modify(client, kind.resource, { name }, change, { subresource: 'status', signal }),
  )
}
