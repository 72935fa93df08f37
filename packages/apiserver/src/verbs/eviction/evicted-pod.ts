import { isObject } from '@machinist/core/encoding/json'
import type { Condition } from '@machinist/core/objects/resource'
import type { ApiObject } from '../../kinds/kind-rules.ts'

export const isReady = (pod: ApiObject): boolean =>
  conditionsOf(pod).some(({ type, status }) => type === 'Ready' && status === 'True')

/** A pod that does not run or is being deleted is evicted without a budget. */
export const needsNoBudget = (pod: ApiObject): boolean =>
  notRunning.has(phaseOf(pod)) || pod.metadata.deletionTimestamp !== undefined

const notRunning = new Set(['Succeeded', 'Failed', 'Pending'])

const disruptionTarget = 'DisruptionTarget'

/** Adds the condition DisruptionTarget. */
export function asDisruptionTarget(pod: ApiObject, now: string): ApiObject {
  return withCondition(
    pod,
    {
      type: disruptionTarget,
      status: 'True',
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
    },
    now,
  )
}

/** Sets a condition; its time changes only with its status. */
function withCondition(
  pod: ApiObject,
  { type, status, reason, message }: Pick<Condition, 'type' | 'status' | 'reason' | 'message'>,
  now: string,
): ApiObject {
  const conditions = conditionsOf(pod)
  const before = conditions.find((each) => each.type === type)
  const since = before?.status === status ? (before.lastTransitionTime ?? now) : now
  const condition: PodCondition = {
    type,
    status,
    lastProbeTime: null,
    lastTransitionTime: since,
    ...(reason && { reason }),
    ...(message && { message }),
  }
  const all = before
    ? conditions.map((each) => (each === before ? condition : each))
    : [...conditions, condition]
  return { ...pod, status: { ...statusOf(pod), conditions: all } }
}

export function phaseOf(pod: ApiObject): string {
  const { phase } = statusOf(pod)
  return typeof phase === 'string' ? phase : ''
}

function conditionsOf(pod: ApiObject): Condition[] {
  const { conditions } = statusOf(pod)
  return Array.isArray(conditions) ? (conditions.filter(isObject) as unknown as Condition[]) : []
}

interface PodCondition extends Condition {
  lastProbeTime: string | null
}

const statusOf = ({ status }: ApiObject): Record<string, unknown> =>
  isObject(status) ? status : {}
