import type { Clock } from '@machinist/core/clock'
import type { KubeObject } from '@machinist/core/objects/resource'
import { isOlder } from './version-order.ts'

interface Written<T extends KubeObject> {
  readonly object: Readonly<T>
  /** Elapsed time of the response. */
  readonly at: number
}

/** Objects that this process wrote and its cache does not contain yet, so that no decision uses an older state. */
export class OwnWrites<T extends KubeObject> {
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #written = new Map<string, Written<T>>()

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock
  }

  remember(object: Readonly<T>): void {
    this.#written.set(object.metadata.name, { object, at: this.#clock.elapsed() })
  }

  /** The newer of the cached and the written object. */
  newest(name: string, cached: Readonly<T> | undefined): Readonly<T> | undefined {
    const own = this.#written.get(name)
    if (!own) return cached
    const { metadata } = own.object
    const isBehind =
      cached?.metadata.uid === metadata.uid &&
      isOlder(cached?.metadata.resourceVersion, metadata.resourceVersion) === true
    if (isBehind) return own.object
    this.#written.delete(name)
    return cached
  }

  /** Call it after a conflict: the remembered object is not the newest state. */
  forget(name: string): void {
    this.#written.delete(name)
  }

  /**
   * A list that started at `startedAt` contains every earlier write, unless etcd was restored to a state without it. Versions
   * cannot detect a restore: the versions of restored objects stay older than the lost ones.
   */
  relisted(startedAt: number): void {
    for (const [name, { at }] of this.#written) if (at < startedAt) this.#written.delete(name)
  }

  get size(): number {
    return this.#written.size
  }
}
