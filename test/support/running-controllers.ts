import type { Clock } from '@machinist/core/clock'
import { systemClock } from '@machinist/core/clock'
import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import type { KubeClient, ListWatchScope } from '@machinist/kube/client/client'
import { ControllerRunner } from '@machinist/kube/controller/controller-runner'
import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { Recorder } from '@machinist/kube/events/recorder'
import { Informer } from '@machinist/kube/informer/informer'
import { OptionalSource } from '@machinist/kube/informer/optional-source'
import type { Indexes } from '@machinist/kube/informer/store'
import { coreEvents } from '@machinist/kube/kinds/events'
import type { ListWatch } from '@machinist/kube/list-watch'
import { until } from '@machinist/testing/until'

export interface FollowOptions<T extends KubeObject> {
  readonly scope?: ListWatchScope
  readonly indexes?: Indexes<T>
  readonly transform?: (object: T) => T
  /** The kind may not be served. */
  readonly isOptional?: boolean
  /** The source of the objects; default: the API. */
  readonly source?: ListWatch<T>
}

/** Dependencies of the controllers under test. */
export interface Given extends ControllerContext {
  readonly events: Recorder
  /** Starts an informer that the controller created itself. */
  readonly start: (informer: Pick<Informer<KubeObject>, 'start'>) => void
  readonly follow: <T extends KubeObject>(
    place: Resource<T>,
    options?: FollowOptions<T>,
  ) => Informer<T>
}

export interface RunOptions {
  readonly clock?: Clock | undefined
  /** The clock of the informers, if it differs from that of the controllers. */
  readonly informerClock?: Clock
  readonly stopGraceMs?: number
}

/** Runs controllers as one process does. */
export class RunningControllers {
  readonly metrics = new Metrics()
  readonly events: Recorder
  /** All log lines. */
  logged = ''
  readonly #client: KubeClient
  readonly #stop = new AbortController()
  readonly #running: Promise<unknown>[] = []

  constructor(
    client: KubeClient,
    build: (given: Given) => Controller | readonly Controller[],
    { clock = systemClock, informerClock = clock, ...runs }: RunOptions = {},
  ) {
    this.#client = client
    const { metrics } = this
    const write = (line: string): void => void (this.logged += line)
    const log = createLogger({ clock, write, level: 'debug' })
    const tools = { clock, random: seededRandom(7), log, metrics }
    this.events = new Recorder({ ...tools, api: client, component: 'tested', instance: 'test' })
    const start: Given['start'] = (informer) => {
      this.#running.push(informer.start(this.#stop.signal))
    }
    const follow: Given['follow'] = (place, { scope, isOptional, ...options } = {}) => {
      const source = options.source ?? client.listWatch(place, scope)
      const informer = new Informer({
        ...tools,
        ...options,
        clock: informerClock,
        resource: place.plural,
        source: isOptional ? new OptionalSource(source, informerClock) : source,
      })
      start(informer)
      return informer
    }
    for (const controller of [
      build({ ...tools, client, events: this.events, start, follow }),
    ].flat()) {
      const runner = new ControllerRunner(controller, { ...tools, ...runs })
      this.#running.push(runner.run(this.#stop.signal))
    }
  }

  /** `Warning OperatorDegraded: RenderConfigFailed`, one for each event about an object of this kind. */
  async told(kind: string): Promise<string[]> {
    await this.events.flush()
    const all = await Array.fromAsync(this.#client.listAll(coreEvents))
    return all
      .filter(({ involvedObject }) => involvedObject.kind === kind)
      .map(({ type, reason }) => `${type} ${reason}`)
      .toSorted()
  }

  /** Waits for the first successful reconcile. */
  reconciled(): Promise<void> {
    const done = /^controller_runtime_reconcile_total\{.*result="success".*\} [1-9]/m
    return until('a reconcile has succeeded', () => done.test(this.metrics.text()))
  }

  /** Stops the controllers gracefully, and sends pending events. */
  async stop(): Promise<void> {
    await this.kill()
    await this.events.close()
  }

  /** Stops the controllers without sending pending events. */
  async kill(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#running)
  }
}
