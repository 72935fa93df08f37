import type { BackoffPolicy } from '@machinist/core/backoff'
import { backoffDelay } from '@machinist/core/backoff'
import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { Random } from '@machinist/core/random'
import type { ObjectKey, Resource } from '@machinist/core/objects/resource'
import { keyOf } from '@machinist/core/objects/resource'
import { ApiFailure, isAlreadyExists, isNotFound } from '../failure.ts'
import { withDeadline } from '../deadline.ts'
import type { CoreEvent } from '../kinds/events.ts'
import { coreEvents } from '../kinds/events.ts'
import type { Patch } from '../patch.ts'
import { mergePatch } from '../patch.ts'
import { stopLimits } from '../stop-limits.ts'
import type { Correlated, EventRecord } from './event-correlator.ts'

/** The API calls of a recorder; KubeClient implements it. */
export interface EventApi {
  create(resource: Resource<CoreEvent>, event: CoreEvent, call: Call): Promise<unknown>
  patch(resource: Resource<CoreEvent>, key: ObjectKey, patch: Patch, call: Call): Promise<unknown>
}

interface Call {
  readonly signal: AbortSignal
}

type DropReason = 'queue-full' | 'rejected' | 'unreachable' | 'closed'

export interface SenderOptions {
  readonly api: EventApi
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly onSent: () => void
  readonly onDropped: (reason: DropReason) => void
}

const queueLimit = 1000
const maxAttempts = 5
const backoff: BackoffPolicy = { firstMs: 1000, maxMs: 30_000, factor: 3, jitter: 1 }
const requestTimeoutMs = 10_000

/** Sends events one by one in the background. Repetitions of a queued event are merged. */
export class EventSender {
  readonly #options: SenderOptions
  readonly #queued = new Map<EventRecord, CoreEvent>()
  /** Ends the delay between two attempts. */
  readonly #skipDelays = new AbortController()
  /** Aborts the running request and drops the rest. */
  readonly #stop = new AbortController()
  #isClosed = false
  #sending: Promise<void> | undefined

  constructor(options: SenderOptions) {
    this.#options = options
  }

  send({ record, event }: Correlated): void {
    if (this.#isClosed) return this.#options.onDropped('closed')
    const isKnown = this.#queued.has(record)
    if (!isKnown && this.#queued.size >= queueLimit) return this.#options.onDropped('queue-full')
    this.#queued.set(record, event)
    this.#sending ??= this.#sendAll()
  }

  /** Resolves when the queue is empty. */
  async flush(): Promise<void> {
    await this.#sending
  }

  /** Rejects new events, makes one attempt for each queued event, and drops the rest. */
  async close(): Promise<void> {
    this.#isClosed = true
    const { clock } = this.#options
    const cancel = clock.after(stopLimits.eventsMs, () => this.#stop.abort())
    this.#skipDelays.abort()
    await this.#sending
    cancel()
  }

  async #sendAll(): Promise<void> {
    // Leave the call stack of the caller: recording must not cost time.
    await Promise.resolve()
    for (let next = this.#next(); next; next = this.#next()) {
      const [record, event] = next
      this.#queued.delete(record)
      await this.#deliver(record, event)
    }
    this.#sending = undefined
  }

  #next(): [EventRecord, CoreEvent] | undefined {
    const [first] = this.#queued
    return first
  }

  async #deliver(record: EventRecord, event: CoreEvent): Promise<void> {
    const { clock, random, log, onSent, onDropped } = this.#options
    for (let attempt = 0; ; attempt++) {
      try {
        if (this.#stop.signal.aborted) return onDropped('closed')
        await this.#write(record, event)
        return onSent()
      } catch (error) {
        const isFinal = isRefusal(error)
        const isLast = isFinal || this.#isClosed || attempt + 1 >= maxAttempts
        if (isLast) {
          log.info('dropped an event', { event: event.metadata.name, error: messageOf(error) })
          return onDropped(isFinal ? 'rejected' : 'unreachable')
        }
        await sleep(clock, backoffDelay(backoff, attempt, random), this.#skipDelays.signal)
      }
    }
  }

  async #write(record: EventRecord, event: CoreEvent): Promise<void> {
    const { signal } = this.#stop
    await withDeadline(
      this.#options.clock,
      requestTimeoutMs,
      'sending an event',
      signal,
      (deadline) =>
        record.isStored ? this.#update(event, deadline) : this.#create(event, deadline),
    )
    record.isStored = true
  }

  async #update(event: CoreEvent, signal: AbortSignal): Promise<void> {
    try {
      await this.#patch(event, signal)
    } catch (error) {
      // Events expire after about an hour: recreate it with the same name.
      if (!isNotFound(error)) throw error
      await this.#options.api.create(coreEvents, event, { signal })
    }
  }

  async #create(event: CoreEvent, signal: AbortSignal): Promise<void> {
    try {
      await this.#options.api.create(coreEvents, event, { signal })
    } catch (error) {
      // An earlier attempt reached the server without a response, and the count may have changed since.
      if (!isAlreadyExists(error)) throw error
      await this.#patch(event, signal)
    }
  }

  async #patch(event: CoreEvent, signal: AbortSignal): Promise<void> {
    const { count, lastTimestamp, message } = event
    const patch = mergePatch({ count, lastTimestamp, message })
    await this.#options.api.patch(coreEvents, keyOf(event), patch, { signal })
  }
}

/** The server rejects the event, and a retry cannot succeed. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiFailure && error.code < 500 && error.code !== 429
}
