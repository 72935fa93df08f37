import type { ApiObject, KindRules } from '../kind-rules.ts'
import { fill } from './fields.ts'

/** Old names on the left, events.k8s.io's on the right. */
const renamed: readonly (readonly [old: string, now: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
]

export const eventRules: KindRules = {
  complete(event) {
    fill(event, { source: {}, reportingComponent: '', reportingInstance: '' })
    for (const time of ['firstTimestamp', 'lastTimestamp', 'eventTime']) event[time] ??= null
  },
}

/** The same objects as seen through events.k8s.io. */
export const newEventRules: KindRules = {
  ...eventRules,
  view: {
    group: '',
    plural: 'events',
    shown: (stored) => {
      const { reportingController, reportingInstance, ...rest } = rename(stored, 0, 1)
      return {
        ...rest,
        ...(reportingController === '' ? {} : { reportingController }),
        ...(reportingInstance === '' ? {} : { reportingInstance }),
      }
    },
    stored: (shown) => rename(shown, 1, 0),
  },
}

function rename(event: ApiObject, from: 0 | 1, to: 0 | 1): ApiObject {
  const names = new Map(renamed.map((pair) => [pair[from], pair[to]]))
  const entries = Object.entries(event).map(([key, value]) => [names.get(key) ?? key, value])
  return Object.fromEntries(entries) as ApiObject
}
