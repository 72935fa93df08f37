import type { ObjectReference } from '@machinist/core/resource'
import type { Random } from '@machinist/core/random'
import { between } from '@machinist/core/random'
import { timestamp } from '@machinist/core/timestamp'
import type { CoreEvent, EventType } from '../kinds/events.ts'
import { eventName, limitedMessage } from './event-text.ts'
import { RecentMap } from './recent-map.ts'
import { SpamFilter } from './spam-filter.ts'

/** Something worth telling about an object. */
export interface Occurrence {
  readonly about: ObjectReference
  readonly type: EventType
  readonly reason: string
  readonly message: string
}

/** One event on the server, and how often it has happened. */
export interface Sighting {
  readonly name: string
  readonly firstTimestamp: string
  count: number
  /** Whether the server has it: then the next occurrence is a patch. */
  isStored: boolean
}

export interface Correlated {
  readonly sighting: Sighting
  readonly event: CoreEvent
  /** Too much about this object lately: counted, but not to be sent. */
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

const remembered = 4096
/** So many different messages for the same reason, each within ten minutes of the one before, are combined into one. */
const similarLimit = 10
const similarMs = 600_000
const combined = '(combined from similar events): '

/** Decides which event an occurrence belongs to: a new one, one that happened before, or a summary of similar ones. */
export class EventCorrelator {
  readonly #source: EventSource
  readonly #similar = new RecentMap<Similar>(remembered)
  readonly #sightings = new RecentMap<Sighting>(remembered)
  readonly #spam = new SpamFilter(remembered)
  /** Never the same twice in one process, and by chance not the same as in another. */
  #serial: number

  constructor(source: EventSource, random: Random) {
    this.#source = source
    this.#serial = between(random, 0, 999_999)
  }

  correlate(occurrence: Occurrence, now: number, elapsed: number): Correlated {
    const { about, type, reason } = occurrence
    const object = [about.kind, about.namespace, about.name, about.uid, about.apiVersion, type]
    const group = keyOfParts(...object, reason)
    const isCombined = this.#isOneOfMany(group, occurrence.message, elapsed)
    const text = isCombined ? combined + occurrence.message : occurrence.message
    const key = isCombined
      ? keyOfParts('combined', group)
      : keyOfParts(group, about.fieldPath, occurrence.message)

    const sighting = this.#sightings.use(key, () => ({
      name: eventName(about.name ?? '', now, this.#serial++),
      firstTimestamp: timestamp(now),
      count: 0,
      isStored: false,
    }))
    sighting.count += 1
    return {
      sighting,
      event: this.#event(occurrence, sighting, limitedMessage(text), now),
      isSpam: !this.#spam.pass(keyOfParts(...object), elapsed),
    }
  }

  #isOneOfMany(group: string, message: string, elapsed: number): boolean {
    const similar = this.#similar.use(group, () => ({ messages: new Set(), lastAt: elapsed }))
    if (elapsed - similar.lastAt > similarMs) similar.messages.clear()
    similar.lastAt = elapsed
    similar.messages.add(message)
    if (similar.messages.size < similarLimit) return false
    // Enough to know that they are many; which ones does not matter.
    const [any] = similar.messages
    similar.messages.delete(any!)
    return true
  }

  #event(occurrence: Occurrence, sighting: Sighting, message: string, now: number): CoreEvent {
    const { about, type, reason } = occurrence
    const { component, host } = this.#source
    return {
      apiVersion: 'v1',
      kind: 'Event',
      // What lives outside namespaces has its events in the default one.
      metadata: { name: sighting.name, namespace: about.namespace ?? 'default' },
      involvedObject: about,
      type,
      reason,
      message,
      count: sighting.count,
      firstTimestamp: sighting.firstTimestamp,
      lastTimestamp: timestamp(now),
      source: { component, host },
      reportingComponent: component,
      reportingInstance: host,
    }
  }
}

const keyOfParts = (...parts: readonly (string | undefined)[]): string => JSON.stringify(parts)
