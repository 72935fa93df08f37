import { isObject } from '@machinist/core/json'
import type { Condition } from '@machinist/core/resource'
import type { ApiObject } from '../../kinds/kind-rules.ts'

/** What a budget counts. */
export const isReady = (pod: ApiObject): boolean =>
  conditionsOf(pod).some(({ type, status }) => type === 'Ready' && status === 'True')

/** Nobody counts on a pod that does not run, or that goes already. */
export const needsNoBudget = (pod: ApiObject): boolean =>
  notRunning.has(phaseOf(pod)) || pod.metadata.deletionTimestamp !== undefined

const notRunning = new Set(['Succeeded', 'Failed', 'Pending'])

const disruptionTarget = 'DisruptionTarget'

/** The pod with the mark by which everybody can see why it went. */
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

/** A condition in its place; its time changes only when its status does. */
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
