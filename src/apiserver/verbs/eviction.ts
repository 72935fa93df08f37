import { isObject } from '../../base/json.ts'
import type { Condition } from '../../base/resource.ts'
import type { LabelSelectorSpec } from '../../base/selectors.ts'
import { matchesLabels, nothing, selectorFromSpec } from '../../base/selectors.ts'
import type { ApiObject } from '../kinds/kind-rules.ts'
import { badRequest, Refusal } from '../refusal.ts'
import { remove } from './delete.ts'
import { prefixOf } from './object-key.ts'
import { read } from './read.ts'
import { deleteOptions } from './request-options.ts'
import { shownObject } from './stored-object.ts'
import type { NamedTarget } from './update.ts'
import { update } from './update.ts'
import type { VerbContext, WriteOptions } from './verb-context.ts'
import { timestamp } from './verb-context.ts'

/** Deletes a pod unless a disruption budget says that too few would be left. */
export async function evict(
  context: VerbContext,
  target: NamedTarget,
  eviction: ApiObject,
  options: WriteOptions,
): Promise<void> {
  const { subresource: _, ...pod } = target
  if (eviction.metadata.name && eviction.metadata.name !== target.name) {
    throw badRequest(`name in URL does not match name in Eviction object: ${target.name}`)
  }
  const deletion = {
    ...deleteOptions(new URLSearchParams(), eviction['deleteOptions']),
    dryRun: options.dryRun,
  }
  const current = read(context, pod)
  if (!mayGoFreely(current)) checkBudgets(context, target, current)
  if (!options.dryRun && !isMarked(current)) await mark(context, pod, options)
  await remove(context, pod, deletion)
}

const ended = new Set(['Succeeded', 'Failed', 'Pending'])

/** Nobody counts on a pod that does not run, or that goes already. */
const mayGoFreely = (pod: ApiObject): boolean =>
  ended.has(phaseOf(pod)) || pod.metadata.deletionTimestamp !== undefined

const isMarked = (pod: ApiObject): boolean =>
  conditionsOf(pod).some(({ type, status }) => type === 'DisruptionTarget' && status === 'True')

function checkBudgets(context: VerbContext, target: NamedTarget, pod: ApiObject): void {
  const budgets = objectsOf(context, 'policy', 'poddisruptionbudgets', target.namespace).filter(
    (budget) => guards(budget, pod),
  )
  if (budgets.length > 1) {
    throw new Refusal(
      500,
      'InternalError',
      'Internal error occurred: This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      {
        causes: [
          {
            message:
              'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
          },
        ],
      },
    )
  }
  const [budget] = budgets
  if (!budget) return
  const pods = objectsOf(context, '', 'pods', target.namespace).filter((each) =>
    guards(budget, each),
  )
  const healthy = pods.filter(isHealthy).length
  const needed = neededBy(budget, pods.length)
  const allowed = healthy - needed
  if (allowed > 0 || (!isHealthy(pod) && healthy >= needed)) return
  throw tooMany(budget.metadata.name, needed, healthy)
}

function tooMany(budget: string, needed: number, healthy: number): Refusal {
  return new Refusal(
    429,
    'TooManyRequests',
    "Cannot evict pod as it would violate the pod's disruption budget.",
    {
      causes: [
        {
          reason: 'DisruptionBudget',
          message: `The disruption budget ${budget} needs ${needed} healthy pods and has ${healthy} currently`,
        },
      ],
    },
  )
}

function neededBy(budget: ApiObject, pods: number): number {
  const { minAvailable, maxUnavailable } = (budget['spec'] ?? {}) as Record<string, unknown>
  if (minAvailable !== undefined) return share(minAvailable, pods)
  return Math.max(pods - share(maxUnavailable ?? 0, pods), 0)
}

/** A number, or a part of all that is rounded up. */
function share(amount: unknown, of: number): number {
  if (typeof amount === 'number') return amount
  const percent = /^(\d+)%$/.exec(String(amount))?.[1]
  return percent === undefined ? 0 : Math.ceil((Number(percent) * of) / 100)
}

function guards(budget: ApiObject, pod: ApiObject): boolean {
  const { selector } = (budget['spec'] ?? {}) as { selector?: LabelSelectorSpec }
  return matchesLabels(selectorFromSpec(selector, nothing), pod.metadata.labels)
}

const isHealthy = (pod: ApiObject): boolean =>
  pod.metadata.deletionTimestamp === undefined &&
  conditionsOf(pod).some(({ type, status }) => type === 'Ready' && status === 'True')

function phaseOf(pod: ApiObject): string {
  const { phase } = (pod['status'] ?? {}) as { phase?: string }
  return phase ?? ''
}

function conditionsOf(pod: ApiObject): Condition[] {
  const { conditions } = (pod['status'] ?? {}) as { conditions?: unknown }
  return Array.isArray(conditions) ? (conditions as Condition[]) : []
}

/** So that everybody can see why the pod went. */
async function mark(
  context: VerbContext,
  target: NamedTarget,
  options: WriteOptions,
): Promise<void> {
  const lastTransitionTime = timestamp(context.clock.now())
  await update(
    context,
    { ...target, subresource: 'status' },
    (pod) => {
      const others = conditionsOf(pod).filter(({ type }) => type !== 'DisruptionTarget')
      const condition = {
        type: 'DisruptionTarget',
        status: 'True',
        lastProbeTime: null,
        lastTransitionTime,
        reason: 'EvictionByEvictionAPI',
        message: 'Eviction API: evicting',
      }
      const status = isObject(pod['status']) ? pod['status'] : {}
      return { ...pod, status: { ...status, conditions: [...others, condition] } }
    },
    options,
  )
}

function objectsOf(
  { kinds, store }: VerbContext,
  group: string,
  plural: string,
  namespace: string | undefined,
): ApiObject[] {
  const kind = kinds.findResource(group, plural)
  if (!kind) return []
  return store
    .range({ prefix: prefixOf(kind, namespace) })
    .map((stored) => shownObject(kind, stored))
}
