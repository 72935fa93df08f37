import { keyOf, keyText } from '@machinist/core/objects/resource'
import type { OwnerReference } from '@machinist/core/objects/resource'
import type { LabelSelector } from '@machinist/core/objects/selectors'
import { matchesLabels } from '@machinist/core/objects/selectors'
import type { Pod } from '@machinist/kube/kinds/core'

/** The inputs of the eviction rules besides the pods. */
export interface EvictionRules {
  /** Pods with these labels stay on the node. */
  readonly skip: LabelSelector
  /** `namespace/name` of deleted DaemonSets that pods still name as owner. */
  readonly missingDaemonSets: ReadonlySet<string>
}

/** The kubelet sets it on mirror pods of static pods. */
const mirrorAnnotation = 'kubernetes.io/config.mirror'

type StayRule = (pod: Readonly<Pod>, rules: EvictionRules) => boolean

/** Reasons why a pod stays on the node, in order. All other pods are evicted. */
const reasonsToStay = {
  /** Its controller would recreate it on the same node. Not if it has finished, or its DaemonSet is deleted. */
  'belongs to a DaemonSet': (pod, { missingDaemonSets }) => {
    const owner = daemonSetOf(pod)
    return owner !== undefined && !isFinished(pod) && !missingDaemonSets.has(owner)
  },
  /** The API cannot stop it: its kubelet runs it from a file. */
  'is a mirror pod': (pod) => Object.hasOwn(pod.metadata.annotations ?? {}, mirrorAnnotation),
  'is kept by the DrainPolicy': (pod, { skip }) => matchesLabels(skip, pod.metadata.labels),
} as const satisfies Readonly<Record<string, StayRule>>

export type ReasonToStay = keyof typeof reasonsToStay

/** Why a pod stays; undefined if it is evicted. Unmanaged pods and pods with local data are evicted like all others. */
export function reasonToStay(pod: Readonly<Pod>, rules: EvictionRules): ReasonToStay | undefined {
  for (const reason of Object.keys(reasonsToStay) as ReasonToStay[]) {
    if (reasonsToStay[reason](pod, rules)) return reason
  }
  return undefined
}

/** The pods to evict by ascending priority, so that important pods run longest. */
export function podsToEvict(pods: readonly Readonly<Pod>[], rules: EvictionRules): Readonly<Pod>[] {
  return pods
    .filter((pod) => reasonToStay(pod, rules) === undefined)
    .sort((a, b) => priority(a) - priority(b) || compare(podName(a), podName(b)))
}

export const podName = (pod: Readonly<Pod>): string => keyText(keyOf(pod))

/** Deleted, but its kubelet has not confirmed that it stopped. */
export const isTerminating = (pod: Readonly<Pod>): boolean =>
  pod.metadata.deletionTimestamp !== undefined

export function daemonSetOf(pod: Readonly<Pod>): string | undefined {
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true)
  if (!owner || !isDaemonSet(owner)) return undefined
  const { namespace } = pod.metadata
  return keyText(namespace === undefined ? { name: owner.name } : { namespace, name: owner.name })
}

export const isFinished = ({ status }: Readonly<Pod>): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed'

const isDaemonSet = ({ apiVersion, kind }: OwnerReference): boolean =>
  kind === 'DaemonSet' && apiVersion === 'apps/v1'

const priority = (pod: Readonly<Pod>): number => pod.spec?.priority ?? 0

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
