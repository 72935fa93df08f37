import { clusterOperatorConditions as types, conditionOf } from '../../api/conditions.ts'
import type { ClusterOperatorStatus } from '../../api/openshift-config.ts'
import { operatorEvents, operatorReasons } from '../../api/reasons.ts'
import { sameJson } from '@machinist/core/json'
import type { Condition } from '@machinist/core/resource'
import { versionsText } from './decide.ts'

export interface Told {
  readonly type: 'normal' | 'warning'
  readonly reason: string
  readonly message: string
}

/** Pure: the events that a change of the status is worth. Nothing is told twice. */
export function eventsFor(
  before: ClusterOperatorStatus | undefined,
  after: ClusterOperatorStatus,
): Told[] {
  return [
    ...versionEvents(before, after),
    ...degradedEvents(before, after),
    ...skewEvents(before, after),
  ]
}

function versionEvents(
  before: ClusterOperatorStatus | undefined,
  after: ClusterOperatorStatus,
): Told[] {
  const reason = operatorEvents.operatorVersionChanged
  const [was, is] = [before?.versions ?? [], after.versions ?? []]
  if (was.length > 0 && !sameJson(was, is)) {
    const message = `clusteroperator/machine-config changed its version from ${versionsText(was)} to ${versionsText(is)}`
    return [{ type: 'normal', reason, message }]
  }
  const progressing = of(after, types.progressing)
  if (progressing?.status !== 'True' || of(before, types.progressing)?.status === 'True') return []
  const message = `clusteroperator/machine-config is at ${versionsText(is)}: ${progressing.message}`
  return [{ type: 'normal', reason, message }]
}

function degradedEvents(
  before: ClusterOperatorStatus | undefined,
  after: ClusterOperatorStatus,
): Told[] {
  const degraded = news(before, after, types.degraded)
  if (degraded?.status !== 'True') return []
  const reason = `${operatorEvents.operatorDegraded}: ${degraded.reason}`
  return [{ type: 'warning', reason, message: degraded.message ?? '' }]
}

function skewEvents(
  before: ClusterOperatorStatus | undefined,
  after: ClusterOperatorStatus,
): Told[] {
  const upgradeable = news(before, after, types.upgradeable)
  const reason = operatorReasons.kubeletSkewUnsupported
  if (upgradeable?.reason !== reason) return []
  return [{ type: 'warning', reason, message: upgradeable.message ?? '' }]
}

/** A condition that says something else than before. */
function news(
  before: ClusterOperatorStatus | undefined,
  after: ClusterOperatorStatus,
  type: string,
): Condition | undefined {
  const [was, is] = [of(before, type), of(after, type)]
  return was?.reason === is?.reason && was?.message === is?.message ? undefined : is
}

const of = (status: ClusterOperatorStatus | undefined, type: string): Condition | undefined =>
  conditionOf(status?.conditions, type)
