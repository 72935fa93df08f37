import { matchesLabels, nothing, selectorFromSpec } from '@machinist/core/objects/selectors'
import type { Pod } from '@machinist/kube/kinds/core'
import type { PodDisruptionBudget } from '@machinist/kube/kinds/policy'
import type { Deletion, MemoryApi } from './memory-api.ts'
import type { Place } from './place.ts'
import { notFound, Refused } from './refused.ts'

const budgets = 'policy/poddisruptionbudgets'

/** Deletes a pod unless a PodDisruptionBudget forbids it. */
export function evict(api: MemoryApi, place: Place, body: unknown, actor: string): object {
  const { subresource: _, ...pod } = place
  const found = api.find('/pods', place.name!, place.namespace) as Pod | undefined
  if (!found) throw notFound(`pods "${place.name}"`)
  const { deleteOptions = {} } = body as { deleteOptions?: Deletion }
  const isCounted = isHealthy(found) && found.metadata.deletionTimestamp === undefined
  for (const budget of isCounted ? budgetsOf(api, found) : []) {
    const { disruptionsAllowed, desiredHealthy, currentHealthy } = countOf(api, budget)
    if (disruptionsAllowed > 0) continue
    const { name } = budget.metadata
    const message = `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`
    throw new Refused(
      429,
      'TooManyRequests',
      "Cannot evict pod as it would violate the pod's disruption budget.",
      {
        causes: [{ reason: 'DisruptionBudget', message }],
      },
    )
  }
  api.remove(pod, deleteOptions, actor)
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' }
}

/** The status that the disruption controller would set. Percentages are not simulated. */
export function countOf(
  api: MemoryApi,
  { metadata, spec }: PodDisruptionBudget,
): NonNullable<PodDisruptionBudget['status']> {
  const selector = selectorFromSpec(spec?.selector, nothing)
  const pods = (api.objects('/pods') as Pod[]).filter(
    (pod) =>
      pod.metadata.namespace === metadata.namespace && matchesLabels(selector, pod.metadata.labels),
  )
  const currentHealthy = pods.filter(isHealthy).length
  const { minAvailable, maxUnavailable } = spec ?? {}
  const desiredHealthy =
    typeof minAvailable === 'number'
      ? minAvailable
      : Math.max(0, pods.length - (typeof maxUnavailable === 'number' ? maxUnavailable : 0))
  return {
    expectedPods: pods.length,
    currentHealthy,
    desiredHealthy,
    disruptionsAllowed: Math.max(0, currentHealthy - desiredHealthy),
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
  }
}

function budgetsOf(api: MemoryApi, { metadata }: Pod): PodDisruptionBudget[] {
  return (api.objects(budgets) as PodDisruptionBudget[]).filter(
    (budget) =>
      budget.metadata.namespace === metadata.namespace &&
      matchesLabels(selectorFromSpec(budget.spec?.selector, nothing), metadata.labels),
  )
}

const isHealthy = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  status?.phase === 'Running' &&
  (status.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True')
