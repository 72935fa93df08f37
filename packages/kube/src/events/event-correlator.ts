import { LruMap } from '@machinist/core/lru-map'
import type { ObjectReference } from '@machinist/core/objects/resource'
import type { Random } from '@machinist/core/random'
import { between } from '@machinist/core/random'
import { RateLimits } from '@machinist/core/rate-limits'
import { timestamp } from '@machinist/core/timestamp'
import type { CoreEvent, EventType } from '../kinds/events.ts'
import { eventName, limitedMessage } from './event-text.ts'

/** An occurrence to report about an object. */
export interface Occurrence {
  readonly about: ObjectReference
  readonly type: EventType
  readonly reason: string
  readonly message: string
}

/** One event on the server with its count. */
export interface EventRecord {
  readonly name: string
  readonly firstTimestamp: string
  count: number
  /** Whether the event exists on the server, so that the next occurrence is a patch. */
  isStored: boolean
}

export interface Correlated {
  readonly record: EventRecord
  readonly event: CoreEvent
  /** Too many events about this object: counted, but not sent. */
  readonly isSpam: boolean
}

export interface EventSource {
  readonly component: string
  readonly host: string
}

interface Similar {
  readonly messages: Set<string>
  lastAt: number
}

const maxRemembered = 4096
/** This many different messages with the same reason, each within ten minutes of the previous one, are combined into one event. */
const similarLimit = 10
const similarMs = 600_000
/** 25 events for each object, plus one every five minutes. A permanent failure must not flood the API server. */
const spamLimit = { burst: 25, refillMs: 300_000, keys: maxRemembered }
const combinedPrefix = '(combined from similar events): '

/** Assigns an occurrence to an event: a new one, a repeated one, or a summary of similar ones. */
export class EventCorrelator {
  readonly #source: EventSource
  readonly #similar = new LruMap<Similar>(maxRemembered)
  readonly #records = new LruMap<EventRecord>(maxRemembered)
  readonly #spam = new RateLimits(spamLimit)
  /** Unique in this process; starts at a random number to avoid collisions with other processes. */
  #serial: number

  constructor(source: EventSource, random: Random) {
    this.#source = source
    this.#serial = between(random, 0, 999_999)
  }

  correlate(occurrence: Occurrence, now: number, elapsed: number): Correlated {
    const { about, type, reason } = occurrence
    const object = [about.kind, about.namespace, about.name, about.uid, about.apiVersion, type]
    const group = keyOfParts(...object, reason)
    const isCombined = this.#exceedsSimilarLimit(group, occurrence.message, elapsed)
    const text = isCombined ? combinedPrefix + occurrence.message : occurrence.message
    const key = isCombined
      ? keyOfParts('combined', group)
      : keyOfParts(group, about.fieldPath, occurrence.message)

    const record = this.#records.getOrCreate(key, () => ({
      name: eventName(about.name ?? '', now, this.#serial++),
      firstTimestamp: timestamp(now),
      count: 0,
      isStored: false,
    }))
    record.count += 1
    return {
      record,
      event: this.#event(occurrence, record, limitedMessage(text), now),
      isSpam: !this.#spam.pass(keyOfParts(...object), elapsed),
    }
  }

  #exceedsSimilarLimit(group: string, message: string, elapsed: number): boolean {
    const similar = this.#similar.getOrCreate(group, () => ({
      messages: new Set(),
      lastAt: elapsed,
    }))
    if (elapsed - similar.lastAt > similarMs) similar.messages.clear()
    similar.lastAt = elapsed
    similar.messages.add(message)
    if (similar.messages.size < similarLimit) return false
    // Only the number matters, so any message can be removed to bound the memory.
    const [any] = similar.messages
    similar.messages.delete(any!)
    return true
  }

  #event(occurrence: Occurrence, record: EventRecord, message: string, now: number): CoreEvent {
    const { about, type, reason } = occurrence
    const { component, host } = this.#source
    return {
      apiVersion: 'v1',
      kind: 'Event',
      // Events about cluster-scoped objects are in the default namespace.
      metadata: { name: record.name, namespace: about.namespace ?? 'default' },
      involvedObject: about,
      type,
      reason,
      message,
      count: record.count,
      firstTimestamp: record.firstTimestamp,
      lastTimestamp: timestamp(now),
      source: { component, host },
      reportingComponent: component,
      reportingInstance: host,
    }
  }
}

const keyOfParts = (...parts: readonly (string | undefined)[]): string => JSON.stringify(parts)
