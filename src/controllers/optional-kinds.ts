import type { KubeObject, Resource } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import type { InformerOptions } from '@machinist/kube/informer/informer'
import { Informer } from '@machinist/kube/informer/informer'
import { OptionalSource } from '@machinist/kube/informer/optional-source'

export interface FollowOptions extends Pick<
  InformerOptions<KubeObject>,
  'clock' | 'random' | 'log' | 'metrics'
> {
  readonly client: KubeClient
}

/** Kinds that not every cluster has: where one is not served, there are no objects of it. */
export class OptionalKinds {
  readonly #options: FollowOptions
  readonly #keep: (informer: Pick<Informer<KubeObject>, 'start'>) => void
  readonly #followed = new Map<Resource, OptionalSource<KubeObject>>()

  /** Each informer is handed to `keep`, which starts it. */
  constructor(
    options: FollowOptions,
    keep: (informer: Pick<Informer<KubeObject>, 'start'>) => void,
  ) {
    this.#options = options
    this.#keep = keep
  }

  follow<T extends KubeObject>(place: Resource<T>): Informer<T> {
    const { client, clock, random, log, metrics } = this.#options
    const source = new OptionalSource(client.listWatch(place), clock)
    const tools = { clock, random, log, metrics }
    const informer = new Informer<T>({ ...tools, resource: place.plural, source })
    this.#keep(informer)
    this.#followed.set(place, source)
    return informer
  }

  /** Those that were served before and are not now: nobody knows what became of their objects. */
  readonly lost = (): readonly Resource[] =>
    [...this.#followed].filter(([, { isLost }]) => isLost).map(([place]) => place)

  /** Whether one of those that are followed is served, or was. */
  readonly knows = (place: Resource): boolean => this.#followed.get(place)?.wasServed ?? false
}
