import type { KubeObject, ObjectReference } from '@machinist/core/objects/resource'
import { resource } from '@machinist/core/objects/resource'

export type EventType = 'Normal' | 'Warning'

/** core/v1, the version that `kubectl describe` reads. */
export interface CoreEvent extends KubeObject {
  involvedObject: ObjectReference
  type?: EventType
  reason?: string
  message?: string
  source?: { component?: string; host?: string }
  count?: number
  firstTimestamp?: string | null
  lastTimestamp?: string | null
  eventTime?: string | null
  series?: { count?: number; lastObservedTime?: string }
  action?: string
  related?: ObjectReference
  reportingComponent?: string
  reportingInstance?: string
}

/** events.k8s.io/v1: the same objects with other field names. */
export interface EventsV1Event extends KubeObject {
  eventTime: string | null
  regarding?: ObjectReference
  related?: ObjectReference
  type?: EventType
  reason?: string
  action?: string
  note?: string
  reportingController?: string
  reportingInstance?: string
  series?: { count: number; lastObservedTime: string }
  deprecatedCount?: number
  deprecatedFirstTimestamp?: string | null
  deprecatedLastTimestamp?: string | null
}

export const coreEvents = resource<CoreEvent>({
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
})
export const eventsV1 = resource<EventsV1Event>({
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
})
