import type { KubeObject, ObjectReference } from '@machinist/core/resource'
import { resource } from '@machinist/core/resource'

export type EventType = 'Normal' | 'Warning'

/** core/v1: what `kubectl describe` reads. */
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

/** events.k8s.io/v1: the same objects under newer names. */
export interface NewEvent extends KubeObject {
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
export const newEvents = resource<NewEvent>({
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
})
