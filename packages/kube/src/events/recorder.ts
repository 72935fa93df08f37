import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { Counter, Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import type { KubeObject, ObjectReference } from '@machinist/core/objects/resource'
import type { EventType } from '../kinds/events.ts'
import { EventCorrelator } from './event-correlator.ts'
import type { EventApi } from './event-sender.ts'
import { EventSender } from './event-sender.ts'

export interface RecorderOptions {
  readonly api: EventApi
  /** The reporting component: `machinist-controllers`. */
  readonly component: string
  /** The reporting instance: the name of the pod or Node. */
  readonly instance: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
}

/** Emits events. Emitting never fails and never blocks. */
export interface EventRecorder {
  normal(about: Readonly<KubeObject> | ObjectReference, reason: string, message: string): void
  warning(about: Readonly<KubeObject> | ObjectReference, reason: string, message: string): void
}

/** Emits Kubernetes Events about objects, as shown by `kubectl describe`. Messages must not contain secrets. */
export class Recorder implements EventRecorder {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #correlator: EventCorrelator
  readonly #sender: EventSender
  readonly #dropped: Counter<'reason'>

  constructor(options: RecorderOptions) {
    const { api, component, instance, clock, random, log, metrics } = options
    this.#clock = clock
    this.#log = log
    this.#correlator = new EventCorrelator({ component, host: instance }, random)
    const sent = metrics.counter({
      name: 'machinist_events_sent_total',
      help: 'Total number of Kubernetes Events sent to the API server.',
    })
    this.#dropped = metrics.counter({
      name: 'machinist_events_dropped_total',
      help: 'Total number of Kubernetes Events that were not sent, by reason.',
      labels: ['reason'],
    })
    this.#sender = new EventSender({
      api,
      clock,
      random,
      log,
      onSent: () => sent.add({}),
      onDropped: (reason) => this.#dropped.add({ reason }),
    })
  }

  normal(about: Readonly<KubeObject> | ObjectReference, reason: string, message: string): void {
    this.#record(about, 'Normal', reason, message)
  }

  warning(about: Readonly<KubeObject> | ObjectReference, reason: string, message: string): void {
    this.#record(about, 'Warning', reason, message)
  }

  /** Resolves when all recorded events are sent or dropped. */
  flush(): Promise<void> {
    return this.#sender.flush()
  }

  /** For process shutdown: queued events get one attempt. */
  close(): Promise<void> {
    return this.#sender.close()
  }

  #record(
    about: Readonly<KubeObject> | ObjectReference,
    type: EventType,
    reason: string,
    message: string,
  ): void {
    try {
      const occurrence = { about: referenceTo(about), type, reason, message }
      const now = this.#clock.now()
      const correlated = this.#correlator.correlate(occurrence, now, this.#clock.elapsed())
      if (correlated.isSpam) this.#dropped.add({ reason: 'spam' })
      else this.#sender.send(correlated)
    } catch (error) {
      this.#dropped.add({ reason: 'invalid' })
      this.#log.error('cannot record an event', error, { reason })
    }
  }
}

/** The reference of an event to its object. */
function referenceTo(about: Readonly<KubeObject> | ObjectReference): ObjectReference {
  if (!('metadata' in about)) return about
  const { apiVersion, kind, metadata } = about
  const { namespace, name, uid, resourceVersion } = metadata
  return { apiVersion, kind, namespace, name, uid, resourceVersion }
}
