import type { Cause } from '../../refusal.ts'
import { sameJson } from '@machinist/core/json'
import { invalidValue, requiredValue } from '../../schema/causes.ts'
import { qualifiedNameProblems } from '../../verbs/names.ts'
import type { ApiObject, KindRules } from '../kind-rules.ts'
import { fill, membersOf, textOf } from './fields.ts'

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
  nameRule: 'path-segment',
  createdByUpdate: true,
  complete(event) {
    fill(event, { source: {}, reportingComponent: '', reportingInstance: '' })
    for (const time of ['firstTimestamp', 'lastTimestamp', 'eventTime']) event[time] ??= null
  },
  validate: (event) => eventProblems(event, 'reportingComponent'),
}

/** The same objects as seen through events.k8s.io. */
export const newEventRules: KindRules = {
  createdByUpdate: true,
  complete(event) {
    fill(event, { deprecatedSource: {} })
    for (const time of ['deprecatedFirstTimestamp', 'deprecatedLastTimestamp', 'eventTime']) {
      event[time] ??= null
    }
  },
  validate(shown, before) {
    const event = rename(shown, 1, 0)
    const loose = eventProblems(event, 'reportingController')
    return before
      ? [...loose, ...changeProblems(event, rename(before, 1, 0))]
      : [...loose, ...strictProblems(event)]
  },
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
    stored: (shown) => {
      const event = rename(shown, 1, 0)
      fill(event, { reportingComponent: '', reportingInstance: '' })
      return event
    },
  },
}

function rename(event: ApiObject, from: 0 | 1, to: 0 | 1): ApiObject {
  const names = new Map(renamed.map((pair) => [pair[from], pair[to]]))
  const entries = Object.entries(event).map(([key, value]) => [names.get(key) ?? key, value])
  return Object.fromEntries(entries) as ApiObject
}

/** What every event must have; one with an `eventTime` is of the newer sort and must say more. */
function eventProblems(event: ApiObject, reporter: string): Cause[] {
  const place = placeProblems(event)
  if (!event['eventTime']) return place
  const controller = textOf(event['reportingComponent'])
  return [
    ...place,
    ...(controller === '' ? [requiredValue(reporter)] : []),
    ...qualifiedNameProblems(controller).map((problem) =>
      invalidValue(reporter, controller, problem),
    ),
    ...shortText(event, 'reportingInstance'),
    ...shortText(event, 'action'),
    ...shortText(event, 'reason'),
    ...(textOf(event['message']).length > mostNote ? [tooMuch('message', mostNote)] : []),
  ]
}

const mostText = 128
const mostNote = 1024

function shortText(event: ApiObject, field: string): Cause[] {
  const text = textOf(event[field])
  if (text === '') return [requiredValue(field)]
  return text.length > mostText ? [tooMuch(field, mostText)] : []
}

const tooMuch = (field: string, most: number): Cause =>
  invalidValue(field, '', `can have at most ${most} characters`)

/** An event is kept where its object is, and in `default` where that is in no namespace. */
function placeProblems(event: ApiObject): Cause[] {
  const { namespace = '' } = event.metadata
  const involved = textOf(membersOf(event['involvedObject'])['namespace'])
  const newer = Boolean(event['eventTime'])
  const homes = newer ? ['default', 'kube-system'] : ['default']
  const fits = involved === '' ? homes.includes(namespace) : newer || involved === namespace
  const field = 'involvedObject.namespace'
  return fits ? [] : [invalidValue(field, involved, 'does not match event.namespace')]
}

/** events.k8s.io takes new events only without what it calls deprecated. */
function strictProblems(event: ApiObject): Cause[] {
  const type = textOf(event['type'])
  const { component, host } = membersOf(event['source'])
  const deprecated = [
    ['firstTimestamp', event['firstTimestamp']],
    ['lastTimestamp', event['lastTimestamp']],
    ['count', event['count']],
    ['source', component ?? host],
  ] as const
  return [
    ...seriesProblems(event['series']),
    ...(event['eventTime'] ? [] : [requiredValue('eventTime')]),
    ...(type === 'Normal' || type === 'Warning'
      ? []
      : [invalidValue('type', '', `has invalid value: ${type}`)]),
    ...deprecated.flatMap(([field, value]) =>
      value ? [invalidValue(field, '', 'needs to be unset')] : [],
    ),
  ]
}

function seriesProblems(series: unknown): Cause[] {
  if (series === undefined || series === null) return []
  const { count, lastObservedTime } = membersOf(series)
  return [
    ...(typeof count === 'number' && count >= 2
      ? []
      : [invalidValue('series.count', '', 'should be at least 2')]),
    ...(lastObservedTime ? [] : [requiredValue('series.lastObservedTime')]),
  ]
}

const fixedTexts = ['reason', 'message', 'type', 'action'] as const

/** Through events.k8s.io only a series goes on. */
function changeProblems(event: ApiObject, before: ApiObject): Cause[] {
  const series = sameJson(event['series'], before['series']) ? [] : seriesProblems(event['series'])
  const moved = sameJson(event['involvedObject'], before['involvedObject'])
    ? []
    : [invalidValue('involvedObject', event['involvedObject'], immutable)]
  const said = fixedTexts.filter((field) => textOf(event[field]) !== textOf(before[field]))
  return [
    ...series,
    ...moved,
    ...said.map((field) => invalidValue(field, textOf(event[field]), immutable)),
  ]
}

const immutable = 'field is immutable'
