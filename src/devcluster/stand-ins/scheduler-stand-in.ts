import { keyOf, keyText } from '@machinist/core/objects/resource'
import type { Controller } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { settled } from '@machinist/kube/controller/outcome'
import { isConflict, isNotFound } from '@machinist/kube/failure'
import type { Node, Pod, Taint, Toleration } from '@machinist/kube/kinds/core'
import { pods } from '@machinist/kube/kinds/core'
import { conditionOf } from '../../api/conditions.ts'
import type { DevclusterTools } from '../objects/tools.ts'
import type { StandInCaches } from './stand-in-caches.ts'
import { byNode, ownersOf } from './stand-in-caches.ts'

/** A simplified scheduler: binds every pending pod to a suitable node. */
export function schedulerStandIn({ client }: DevclusterTools, caches: StandInCaches): Controller {
  // The cache may not contain the latest bindings yet.
  const decided = new Map<string, string>()
  const waiting = (): string[] => caches.pods.byIndex(byNode, '').map((pod) => keyText(keyOf(pod)))
  const load = (node: string): Readonly<Pod>[] => [
    ...caches.pods.byIndex(byNode, node),
    ...[...decided].flatMap(([key, where]) => (where === node && caches.pods.get(key)) || []),
  ]
  return {
    name: 'scheduler-stand-in',
    inputs: [
      input({ resource: 'Pod', informer: caches.pods }),
      input({ resource: 'Node', informer: caches.nodes, keys: waiting }),
    ],
    outputs: ['Pod'],
    async reconcile(key, { signal }): Promise<Outcome> {
      const pod = caches.pods.get(key)
      if (!pod || pod.spec?.nodeName) decided.delete(key)
      if (!pod || pod.spec?.nodeName || pod.metadata.deletionTimestamp || decided.has(key)) {
        return settled
      }
      const node = bestNode(pod, caches.nodes.list(), load)
      if (node === undefined) return settled
      const binding = {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { ...keyOf(pod), ...(pod.metadata.uid && { uid: pod.metadata.uid }) },
        target: { apiVersion: 'v1', kind: 'Node', name: node },
      }
      decided.set(key, node)
      try {
        await client.act(pods, keyOf(pod), binding, { subresource: 'binding', signal })
      } catch (error) {
        decided.delete(key)
        if (!isNotFound(error) && !isConflict(error)) throw error
      }
      return settled
    },
  }
}

/** Pure: prefers nodes without intolerable taints, with few pods of the same owner, and with few pods. */
export function bestNode(
  pod: Readonly<Pod>,
  nodes: readonly Readonly<Node>[],
  podsOn: (node: string) => readonly Readonly<Pod>[],
): string | undefined {
  const [owner] = ownersOf(pod)
  const rated = nodes
    .filter((node) => fits(pod, node))
    .map(({ metadata: { name }, spec }) => {
      const there = podsOn(name)
      const siblings = there.filter((each) => owner !== undefined && ownersOf(each)[0] === owner)
      const isTainted = (spec?.taints ?? []).some((taint) => !tolerates(pod, taint))
      return { name, rank: [Number(isTainted), siblings.length, there.length] }
    })
  rated.sort((a, b) => compare(a.rank, b.rank) || (a.name < b.name ? -1 : 1))
  return rated[0]?.name
}

function fits(pod: Readonly<Pod>, { metadata, spec, status }: Readonly<Node>): boolean {
  const isReady = conditionOf(status?.conditions, 'Ready')?.status === 'True'
  if (!isReady || spec?.unschedulable || metadata.deletionTimestamp) return false
  const selector = Object.entries(pod.spec?.nodeSelector ?? {})
  if (!selector.every(([key, value]) => metadata.labels?.[key] === value)) return false
  const strict = (spec?.taints ?? []).filter(({ effect }) => effect !== 'PreferNoSchedule')
  return strict.every((taint) => tolerates(pod, taint))
}

function tolerates({ spec }: Readonly<Pod>, taint: Taint): boolean {
  const isMet = ({ key, operator = 'Equal', value = '', effect }: Toleration): boolean =>
    (key === undefined || key === taint.key) &&
    (effect === undefined || effect === taint.effect) &&
    (operator === 'Exists' || value === (taint.value ?? ''))
  return (spec?.tolerations ?? []).some(isMet)
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [i, value] of a.entries()) if (value !== b[i]) return value - b[i]!
  return 0
}
