import type { KubeObject } from '../../base/resource.ts'
import { isOlder } from '../../kube/informer/version-order.ts'

/** What was written and the cache does not show yet: nobody should decide on a picture older than their own deeds. */
export class OwnWrites<T extends KubeObject> {
  readonly #written = new Map<string, Readonly<T>>()

  remember(object: Readonly<T>): void {
    this.#written.set(object.metadata.name, object)
  }

  /** The newer of what the cache has and what was written. */
  newest(name: string, cached: Readonly<T> | undefined): Readonly<T> | undefined {
    const own = this.#written.get(name)
    if (!own) return cached
    const { metadata } = own
    const isBehind =
      cached?.metadata.uid === metadata.uid &&
      isOlder(cached?.metadata.resourceVersion, metadata.resourceVersion) === true
    if (isBehind) return own
    this.#written.delete(name)
    return cached
  }

  get size(): number {
    return this.#written.size
  }
}
