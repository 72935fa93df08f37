import type { KubeObject, Resource } from '@machinist/core/resource'
import { keyOf, keyText } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import { isForbidden, isNotFound } from '@machinist/kube/failure'
import { problemReasons } from '../inputs/problem.ts'
import type { Seen } from './facts.ts'

/** The whole of objects of which only the metadata is followed; each version is read once. */
export class Payloads {
  readonly #client: KubeClient
  #kept = new Map<string, KubeObject>()
  #asked = new Map<string, KubeObject>()

  constructor(client: KubeClient) {
    this.#client = client
  }

  /** Whatever goes wrong concerns this object only: it is unknown then, and why goes to `failures` if it may pass. */
  async read<T extends KubeObject>(
    resource: Resource<T>,
    seen: Readonly<KubeObject>,
    signal: AbortSignal,
    failures: unknown[],
  ): Promise<Seen<T>> {
    const key = keyOf(seen)
    const id = `${resource.plural} ${keyText(key)}`
    const kept = this.#kept.get(id)
    try {
      const object =
        kept && isSame(kept, seen) ? kept : await this.#client.get(resource, key, { signal })
      this.#asked.set(id, object)
      return { state: 'here', object: object as T }
    } catch (error) {
      if (isNotFound(error)) return { state: 'absent' }
      if (!isForbidden(error)) failures.push(error)
      const advice = isForbidden(error) ? 'allow the operator to get it' : 'it is tried again'
      const message = `${resource.kind} ${keyText(key)} could not be read: ${advice}`
      return { state: 'unknown', problem: { reason: problemReasons.notReachable, message } }
    }
  }

  /** Forgets what nobody has asked for since the last time. */
  endRound(): void {
    this.#kept = this.#asked
    this.#asked = new Map()
  }
}

function isSame({ metadata }: KubeObject, seen: Readonly<KubeObject>): boolean {
  const { uid, resourceVersion } = seen.metadata
  return metadata.uid === uid && metadata.resourceVersion === resourceVersion
}
