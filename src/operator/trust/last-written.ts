import type { KubeObject } from '@machinist/core/resource'
import { isOlder } from '@machinist/kube/informer/version-order'

/**
 * What we wrote last, for as long as the cache does not show it. The last good value of an input is in there: who went by
 * an older version would bring back what was good before that.
 */
export class LastWritten<T extends KubeObject> {
  #written: Readonly<T> | undefined

  keep(written: Readonly<T>): void {
    this.#written = written
  }

  forget(): void {
    this.#written = undefined
  }

  /** The newer of the two; `read` is asked where the cache has none, because somebody may have deleted it. */
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
