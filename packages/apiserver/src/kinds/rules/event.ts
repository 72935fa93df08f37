import { sameJson } from '@machinist/core/encoding/json'
import type { StatusCause } from '../../status/status-error.ts'
import { invalidValue, requiredValue } from '../../status/causes.ts'
import { qualifiedNameProblems } from '../../objects/names.ts'
import type { ApiObject, KindRules } from '../kind-rules.ts'
import { fill, membersOf, textOf } from '../fields.ts'

/** Core field names on the left, events.k8s.io names on the right. */
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
  allowsCreateOnUpdate: true,
  complete(event) {
    fill(event, { source: {}, reportingComponent: '', reportingInstance: '' })
    for (const time of ['firstTimestamp', 'lastTimestamp', 'eventTime']) event[time] ??= null
  },
  validate: (event) => eventProblems(event, 'reportingComponent'),
}

/** The same objects in events.k8s.io. */
export const newEventRules: KindRules = {
  allowsCreateOnUpdate: true,
  complete(event) {
    fill(event, { deprecatedSource: {} })
    for (const time of ['deprecatedFirstTimestamp', 'deprecatedLastTimestamp', 'eventTime']) {
      event[time] ??= null
    }
  },
  validate(toView, before) {
    const event = rename(toView, 1, 0)
    const loose = eventProblems(event, 'reportingController')
    return before
      ? [...loose, ...changeProblems(event, rename(before, 1, 0))]
      : [...loose, ...strictProblems(event)]
  },
  view: {
    group: '',
    plural: 'events',
    toView: (fromView) => {
      const { reportingController, reportingInstance, ...rest } = rename(fromView, 0, 1)
      return {
        ...rest,
        ...(reportingController === '' ? {} : { reportingController }),
        ...(reportingInstance === '' ? {} : { reportingInstance }),
      }
    },
    fromView: (toView) => {
      const event = rename(toView, 1, 0)
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

/** Required fields of events; events with `eventTime` have more of them. */
function eventProblems(event: ApiObject, reporter: string): StatusCause[] {
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
    ...(textOf(event['message']).length > maxNote ? [tooMuch('message', maxNote)] : []),
  ]
}

const maxText = 128
const maxNote = 1024

function shortText(event: ApiObject, field: string): StatusCause[] {
  const text = textOf(event[field])
  if (text === '') return [requiredValue(field)]
  return text.length > maxText ? [tooMuch(field, maxText)] : []
}

const tooMuch = (field: string, most: number): StatusCause =>
  invalidValue(field, '', `can have at most ${most} characters`)

/** An Event is in the namespace of its object, or in `default` for cluster-scoped objects. */
function placeProblems(event: ApiObject): StatusCause[] {
  const { namespace = '' } = event.metadata
  const involved = textOf(membersOf(event['involvedObject'])['namespace'])
  const newer = Boolean(event['eventTime'])
  const homes = newer ? ['default', 'kube-system'] : ['default']
  const fits = involved === '' ? homes.includes(namespace) : newer || involved === namespace
  const field = 'involvedObject.namespace'
  return fits ? [] : [invalidValue(field, involved, 'does not match event.namespace')]
}

/** events.k8s.io rejects new events with deprecated fields. */
function strictProblems(event: ApiObject): StatusCause[] {
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

function seriesProblems(series: unknown): StatusCause[] {
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

/** Through events.k8s.io only the series can change. */
function changeProblems(event: ApiObject, before: ApiObject): StatusCause[] {
  const series = sameJson(event['series'], before['series']) ? [] : seriesProblems(event['series'])
  const moved = sameJson(event['involvedObject'], before['involvedObject'])
    ? []
    : [invalidValue('involvedObject', event['involvedObject'], immutable)]
  const changed = fixedTexts.filter((field) => textOf(event[field]) !== textOf(before[field]))
  return [
    ...series,
    ...moved,
    ...changed.map((field) => invalidValue(field, textOf(event[field]), immutable)),
  ]
}

const immutable = 'field is immutable'
