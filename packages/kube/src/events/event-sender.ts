import type { BackoffPolicy } from '@machinist/core/backoff'
import { backoffDelay } from '@machinist/core/backoff'
import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import type { Random } from '@machinist/core/random'
import type { ObjectKey, Resource } from '@machinist/core/resource'
import { keyOf } from '@machinist/core/resource'
import { ApiFailure, isAlreadyExists, isNotFound } from '../failure.ts'
import { withPatience } from '../patience.ts'
import type { CoreEvent } from '../kinds/events.ts'
import { coreEvents } from '../kinds/events.ts'
import type { Patch } from '../patch.ts'
import { mergePatch } from '../patch.ts'
import type { Correlated, Sighting } from './event-correlator.ts'
import { stopLimits } from '../stop-limits.ts'

/** What a recorder needs of the API; KubeClient is one. */
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
const tries = 5
const backoff: BackoffPolicy = { firstMs: 1000, maxMs: 30_000, factor: 3, jitter: 1 }
const requestMs = 10_000

/** Sends events one after the other, in the background. What happened again before it was sent is sent once. */
export class EventSender {
  readonly #options: SenderOptions
  readonly #waiting = new Map<Sighting, CoreEvent>()
  /** Ends the waits between two tries. */
  readonly #hurry = new AbortController()
  /** Ends everything. */
  readonly #stop = new AbortController()
  #isClosed = false
  #sending: Promise<void> | undefined

  constructor(options: SenderOptions) {
    this.#options = options
  }

  send({ sighting, event }: Correlated): void {
    if (this.#isClosed) return this.#options.onDropped('closed')
    const isKnown = this.#waiting.has(sighting)
    if (!isKnown && this.#waiting.size >= queueLimit) return this.#options.onDropped('queue-full')
    this.#waiting.set(sighting, event)
    this.#sending ??= this.#sendAll()
  }

  /** Resolves when nothing waits any more. */
  async flush(): Promise<void> {
    await this.#sending
  }

  /** Takes nothing more in, gives what waits one quick try, and drops the rest. */
  async close(): Promise<void> {
    this.#isClosed = true
    const { clock } = this.#options
    const cancel = clock.after(stopLimits.eventsMs, () => this.#stop.abort())
    this.#hurry.abort()
    await this.#sending
    cancel()
  }

  async #sendAll(): Promise<void> {
    // Not within the call that recorded it: recording must cost its caller nothing.
    await Promise.resolve()
    for (let next = this.#next(); next; next = this.#next()) {
      const [sighting, event] = next
      this.#waiting.delete(sighting)
      await this.#deliver(sighting, event)
    }
    this.#sending = undefined
  }

  #next(): [Sighting, CoreEvent] | undefined {
    const [first] = this.#waiting
    return first
  }

  async #deliver(sighting: Sighting, event: CoreEvent): Promise<void> {
    const { clock, random, log, onSent, onDropped } = this.#options
    for (let attempt = 0; ; attempt++) {
      try {
        if (this.#stop.signal.aborted) return onDropped('closed')
        await this.#write(sighting, event)
        return onSent()
      } catch (error) {
        const isFinal = isRefusal(error)
        const isLast = isFinal || this.#isClosed || attempt + 1 >= tries
        if (isLast) {
          log.info('dropped an event', { event: event.metadata.name, error: messageOf(error) })
          return onDropped(isFinal ? 'rejected' : 'unreachable')
        }
        await sleep(clock, backoffDelay(backoff, attempt, random), this.#hurry.signal)
      }
    }
  }

  async #write(sighting: Sighting, event: CoreEvent): Promise<void> {
    const { signal } = this.#stop
    await withPatience(this.#options.clock, requestMs, 'sending an event', signal, (patience) =>
      sighting.isStored ? this.#update(event, patience) : this.#create(event, patience),
    )
    sighting.isStored = true
  }

  async #update(event: CoreEvent, signal: AbortSignal): Promise<void> {
    try {
      await this.#patch(event, signal)
    } catch (error) {
      // Events live for an hour or so; this one goes on under its old name.
      if (!isNotFound(error)) throw error
      await this.#options.api.create(coreEvents, event, { signal })
    }
  }

  async #create(event: CoreEvent, signal: AbortSignal): Promise<void> {
    try {
      await this.#options.api.create(coreEvents, event, { signal })
    } catch (error) {
      // An earlier try arrived although its answer did not; since then it may have happened again.
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

/** The server answered and will say no again. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiFailure && error.code < 500 && error.code !== 429
}
