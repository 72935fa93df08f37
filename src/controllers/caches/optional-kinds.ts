import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import type { InformerOptions } from '@machinist/kube/informer/informer'
import { Informer } from '@machinist/kube/informer/informer'
import { OptionalSource } from '@machinist/kube/informer/optional-source'

export interface FollowOptions extends Pick<
  InformerOptions<KubeObject>,
  'clock' | 'random' | 'log' | 'metrics'
> {
  readonly client: KubeClient
}

/** Informers for kinds that not every cluster serves; the cache of an unserved kind is empty. */
export class OptionalKinds {
  readonly #options: FollowOptions
  readonly #keep: (informer: Pick<Informer<KubeObject>, 'start'>) => void
  readonly #followed = new Map<Resource, OptionalSource<KubeObject>>()

  /** Passes each informer to `keep`, which starts it. */
  constructor(
    options: FollowOptions,
    keep: (informer: Pick<Informer<KubeObject>, 'start'>) => void,
  ) {
    this.#options = options
    this.#keep = keep
  }

  follow<T extends KubeObject>(resource: Resource<T>): Informer<T> {
    const { client, clock, random, log, metrics } = this.#options
    const source = new OptionalSource(client.listWatch(resource), clock)
    const tools = { clock, random, log, metrics }
    const informer = new Informer<T>({ ...tools, resource: resource.plural, source })
    this.#keep(informer)
    this.#followed.set(resource, source)
    return informer
  }

  /** Kinds that were served before and are not any more: their objects are unknown. */
  readonly lost = (): readonly Resource[] =>
    [...this.#followed].filter(([, { isLost }]) => isLost).map(([resource]) => resource)

  /** Whether a followed kind is or was served. */
  readonly knows = (resource: Resource): boolean => this.#followed.get(resource)?.wasServed ?? false
}
