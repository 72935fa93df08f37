import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import { keyOf, keyText } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { isForbidden, isNotFound } from '@machinist/kube/failure'
import { problemReasons } from '../inputs/problem.ts'
import type { ObservedObject } from './facts/facts.ts'

/** Reads whole objects whose metadata is watched; each version is read once. */
export class Payloads {
  readonly #client: KubeClient
  #kept = new Map<string, KubeObject>()
  #used = new Map<string, KubeObject>()

  constructor(client: KubeClient) {
    this.#client = client
  }

  /** On an error, only this object is unknown; temporary errors are added to `failures`. */
  async read<T extends KubeObject>(
    resource: Resource<T>,
    seen: Readonly<KubeObject>,
    signal: AbortSignal,
    failures: unknown[],
  ): Promise<ObservedObject<T>> {
    const key = keyOf(seen)
    const id = `${resource.plural} ${keyText(key)}`
    const kept = this.#kept.get(id)
    try {
      const object =
        kept && isSame(kept, seen) ? kept : await this.#client.get(resource, key, { signal })
      this.#used.set(id, object)
      return { state: 'present', object: object as T }
    } catch (error) {
      if (isNotFound(error)) return { state: 'absent' }
      if (!isForbidden(error)) failures.push(error)
      const advice = isForbidden(error)
        ? 'grant the operator permission to get it'
        : 'the operator retries'
      const message = `cannot read ${resource.kind} ${keyText(key)}: ${advice}`
      return { state: 'unknown', problem: { reason: problemReasons.notReachable, message } }
    }
  }

  /** Forgets objects that were not read since the last call. */
  endRound(): void {
    this.#kept = this.#used
    this.#used = new Map()
  }
}

function isSame({ metadata }: KubeObject, seen: Readonly<KubeObject>): boolean {
  const { uid, resourceVersion } = seen.metadata
  return metadata.uid === uid && metadata.resourceVersion === resourceVersion
}
