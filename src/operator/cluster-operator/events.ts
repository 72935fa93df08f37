import { sameJson } from '@machinist/core/encoding/json'
import type { Condition } from '@machinist/core/objects/resource'
import { clusterOperatorConditions as types, conditionOf } from '../../api/conditions.ts'
import type { ClusterOperatorStatus } from '../../api/openshift-config.ts'
import { operatorEvents, operatorReasons } from '../../api/reasons.ts'
import { versionsText } from './status.ts'

export interface OperatorEvent {
  readonly type: 'normal' | 'warning'
  readonly reason: string
  readonly message: string
}

/** Pure: the events for a change of the status. */
export function eventsFor(
  before: ClusterOperatorStatus | undefined,
  after: ClusterOperatorStatus,
): OperatorEvent[] {
  return [
    ...versionEvents(before, after),
    ...degradedEvents(before, after),
    ...skewEvents(before, after),
  ]
}

function versionEvents(
  before: ClusterOperatorStatus | undefined,
  after: ClusterOperatorStatus,
): OperatorEvent[] {
  const reason = operatorEvents.operatorVersionChanged
  const [was, is] = [before?.versions ?? [], after.versions ?? []]
  if (was.length > 0 && !sameJson(was, is)) {
    const message = `clusteroperator/machine-config changed its version from ${versionsText(was)} to ${versionsText(is)}`
    return [{ type: 'normal', reason, message }]
  }
  const progressing = conditionIn(after, types.progressing)
  if (progressing?.status !== 'True' || conditionIn(before, types.progressing)?.status === 'True')
    return []
  const message = `clusteroperator/machine-config is at ${versionsText(is)}: ${progressing.message}`
  return [{ type: 'normal', reason, message }]
}

function degradedEvents(
  before: ClusterOperatorStatus | undefined,
  after: ClusterOperatorStatus,
): OperatorEvent[] {
  const degraded = changedCondition(before, after, types.degraded)
  if (degraded?.status !== 'True') return []
  const reason = `${operatorEvents.operatorDegraded}: ${degraded.reason}`
  return [{ type: 'warning', reason, message: degraded.message ?? '' }]
}

function skewEvents(
  before: ClusterOperatorStatus | undefined,
  after: ClusterOperatorStatus,
): OperatorEvent[] {
  const upgradeable = changedCondition(before, after, types.upgradeable)
  const reason = operatorReasons.kubeletSkewUnsupported
  if (upgradeable?.reason !== reason) return []
  return [{ type: 'warning', reason, message: upgradeable.message ?? '' }]
}

/** The new condition, if its reason or message changed. */
function changedCondition(
  before: ClusterOperatorStatus | undefined,
  after: ClusterOperatorStatus,
  type: string,
): Condition | undefined {
  const [was, is] = [conditionIn(before, type), conditionIn(after, type)]
  return was?.reason === is?.reason && was?.message === is?.message ? undefined : is
}

const conditionIn = (
  status: ClusterOperatorStatus | undefined,
  type: string,
): Condition | undefined => conditionOf(status?.conditions, type)
