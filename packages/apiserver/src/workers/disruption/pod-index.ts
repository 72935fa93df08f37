import type { Labels, LabelSelector } from '@machinist/core/objects/selectors'
import { matchesLabels } from '@machinist/core/objects/selectors'
import type { OwnerReference } from '@machinist/core/objects/resource'
import type { ApiObject } from '../../kinds/kind-rules.ts'
import { isReady } from '../../verbs/eviction/evicted-pod.ts'
import type { CountedPod } from './budget-count.ts'

/** The state of a pod that budgets need, so that no pod is read twice. */
export interface IndexedPod extends CountedPod {
  readonly labels: Labels
  readonly controller?: OwnerReference
}

export function indexedPod(pod: ApiObject): IndexedPod {
  const { name, labels = {}, deletionTimestamp } = pod.metadata
  const controller = controllerOf(pod)
  return {
    name,
    labels,
    ready: isReady(pod),
    leaving: deletionTimestamp !== undefined,
    ...(controller && { controller }),
  }
}

export const controllerOf = ({ metadata }: ApiObject): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true)

/** All pods by namespace. */
export class PodIndex {
  readonly #namespaces = new Map<string, Map<string, IndexedPod>>()

  set(namespace: string, pod: IndexedPod): void {
    const pods = this.#namespaces.get(namespace) ?? new Map<string, IndexedPod>()
    this.#namespaces.set(namespace, pods.set(pod.name, pod))
  }

  delete(namespace: string, name: string): void {
    const pods = this.#namespaces.get(namespace)
    pods?.delete(name)
    if (pods?.size === 0) this.#namespaces.delete(namespace)
  }

  get(namespace: string, name: string): IndexedPod | undefined {
    return this.#namespaces.get(namespace)?.get(name)
  }

  selected(namespace: string, selector: LabelSelector): IndexedPod[] {
    const pods = this.#namespaces.get(namespace)?.values() ?? []
    return [...pods].filter(({ labels }) => matchesLabels(selector, labels))
  }
}
