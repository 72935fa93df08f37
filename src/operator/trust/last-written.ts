import type { KubeObject } from '@machinist/core/objects/resource'
import { isOlder } from '@machinist/kube/informer/version-order'

/**
 * The last written object, until the cache contains it. It has the last valid values of inputs: a decision based on an older
 * version would restore outdated values.
 */
export class LastWritten<T extends KubeObject> {
  #written: Readonly<T> | undefined

  keep(written: Readonly<T>): void {
    this.#written = written
  }

  forget(): void {
    this.#written = undefined
  }

  /** The newer of the cached and the written object. Calls `read` if the cache has none, because it may have been deleted. */
  async orNewer(
    cached: Readonly<T> | undefined,
    read: () => Promise<Readonly<T> | undefined>,
  ): Promise<Readonly<T> | undefined> {
    const written = this.#written
    if (!written) return cached
    const { resourceVersion } = written.metadata
    if (cached && isOlder(cached.metadata.resourceVersion, resourceVersion)) return written
    this.#written = cached ? undefined : await read()
    return cached ?? this.#written
  }
}
