import type { Clock } from '../../src/base/clock.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Logger } from '../../src/base/log.ts'
import { createLogger } from '../../src/base/log.ts'
import { Metrics } from '../../src/base/metrics.ts'
import type { Random } from '../../src/base/random.ts'
import { seededRandom } from '../../src/base/random.ts'
import type { KubeObject, ObjectKey, Resource } from '../../src/base/resource.ts'
import type { KubeClient, Scope } from '../../src/kube/client.ts'
import { ControllerRunner } from '../../src/kube/controller/controller-runner.ts'
import type { Controller } from '../../src/kube/controller/controller.ts'
import { Recorder } from '../../src/kube/events/recorder.ts'
import { isNotFound } from '../../src/kube/failure.ts'
import { Informer } from '../../src/kube/informer/informer.ts'
import { OptionalSource } from '../../src/kube/informer/optional-source.ts'
import { coreEvents } from '../../src/kube/kinds/events.ts'
import type { ListWatch } from '../../src/kube/list-watch.ts'
import { until } from '../support/until.ts'

/** A cluster that a suite has for itself. */
export interface Reached {
  readonly client: KubeClient
  stop(): Promise<void>
}

export interface FollowOptions<T extends KubeObject> {
  readonly scope?: Scope
  readonly transform?: (object: T) => T
  /** Not every cluster has the kind. */
  readonly isOptional?: boolean
  /** Where its objects come from, if not simply from the API. */
  readonly source?: ListWatch<T>
}

/** What a controller of the operator is built from. */
export interface Given {
  readonly client: KubeClient
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
  readonly events: Recorder
  /** For who brings informers of their own. */
  start(informer: Pick<Informer<KubeObject>, 'start'>): void
  readonly follow: <T extends KubeObject>(
    place: Resource<T>,
    options?: FollowOptions<T>,
  ) => Informer<T>
}

/** An object, or nothing where there is none. */
export async function find<T extends KubeObject>(
  client: KubeClient,
  place: Resource<T>,
  key: ObjectKey,
): Promise<T | undefined> {
  try {
    return await client.get(place, key)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** One controller of the operator at work on a cluster. */
export class RunningController {
  readonly metrics = new Metrics()
  readonly events: Recorder
  /** Everything that was logged. */
  logged = ''
  readonly #client: KubeClient
  readonly #stop = new AbortController()
  readonly #running: Promise<unknown>[] = []

  constructor(client: KubeClient, build: (given: Given) => Controller, clock: Clock = systemClock) {
    this.#client = client
    const { metrics } = this
    const write = (line: string): void => void (this.logged += line)
    const log = createLogger({ clock, write, level: 'debug' })
    const tools = { clock, random: seededRandom(7), log, metrics }
    const component = 'machineconfigoperator'
    this.events = new Recorder({ ...tools, api: client, component, instance: 'test' })
    const start: Given['start'] = (informer) => {
      this.#running.push(informer.start(this.#stop.signal))
    }
    const follow: Given['follow'] = (place, { scope, transform, isOptional, ...options } = {}) => {
      const source = options.source ?? client.listWatch(place, scope)
      const informer = new Informer({
        ...tools,
        resource: place.plural,
        source: isOptional ? new OptionalSource(source, clock) : source,
        ...(transform && { transform }),
      })
      start(informer)
      return informer
    }
    const controller = build({ ...tools, client, events: this.events, start, follow })
    this.#running.push(new ControllerRunner(controller, tools).run(this.#stop.signal))
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

  /** Waits until it has looked at something and found no more to do. */
  looked(): Promise<void> {
    const done = /^controller_runtime_reconcile_total\{.*result="success".*\} [1-9]/m
    return until('it has looked', () => done.test(this.metrics.text()))
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#running)
    await this.events.close()
  }
}
