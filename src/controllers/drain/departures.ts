import { keyOf, keyText } from '@machinist/core/resource'
import type { OwnerReference } from '@machinist/core/resource'
import type { LabelSelector } from '@machinist/core/selectors'
import { matchesLabels } from '@machinist/core/selectors'
import type { Pod } from '@machinist/kube/kinds/core'

/** What has to be known beside the pods to say which of them leave. */
export interface DepartureRules {
  /** Pods with these labels stay. */
  readonly skip: LabelSelector
  /** `namespace/name` of DaemonSets that pods still name as their owner, but that are gone. */
  readonly missingDaemonSets: ReadonlySet<string>
}

/** Set by the kubelet on what stands for a pod that it runs from a file. */
const mirrorAnnotation = 'kubernetes.io/config.mirror'

type Policy = (pod: Readonly<Pod>, rules: DepartureRules) => boolean

/** Why a pod stays on the node, in the order in which it is asked. Whom none of these keeps, leaves. */
const reasonsToStay = {
  /** It would be back at once, and no node it could go to. Unless it has finished, or its DaemonSet is gone. */
  'is of a DaemonSet': (pod, { missingDaemonSets }) => {
    const owner = daemonSetOf(pod)
    return owner !== undefined && !isFinished(pod) && !missingDaemonSets.has(owner)
  },
  /** The API cannot end it: its kubelet has it from a file. */
  'is a mirror pod': (pod) => Object.hasOwn(pod.metadata.annotations ?? {}, mirrorAnnotation),
  'is kept by the DrainPolicy': (pod, { skip }) => matchesLabels(skip, pod.metadata.labels),
} as const satisfies Readonly<Record<string, Policy>>

export type ReasonToStay = keyof typeof reasonsToStay

/** Why a pod stays; undefined when it leaves. Unmanaged pods and those with local data leave like all others. */
export function whyStays(pod: Readonly<Pod>, rules: DepartureRules): ReasonToStay | undefined {
  for (const reason of Object.keys(reasonsToStay) as ReasonToStay[]) {
    if (reasonsToStay[reason](pod, rules)) return reason
  }
  return undefined
}

/** The pods that have to leave: the least important first, so that what others depend on stays longest. */
export function podsToLeave(
  pods: readonly Readonly<Pod>[],
  rules: DepartureRules,
): Readonly<Pod>[] {
  return pods
    .filter((pod) => whyStays(pod, rules) === undefined)
    .sort((a, b) => priority(a) - priority(b) || compare(podName(a), podName(b)))
}

/** `namespace/name`: how people call a pod. */
export const podName = (pod: Readonly<Pod>): string => keyText(keyOf(pod))

/** It has been told to end, and its kubelet has not yet confirmed that it did. */
export const isLeaving = (pod: Readonly<Pod>): boolean =>
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
