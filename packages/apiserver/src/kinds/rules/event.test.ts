import { describe, expect, it } from 'vitest'
import { testWriteContext } from '../write-context.fixture.ts'
import type { ApiObject, KindRules } from '../kind-rules.ts'
import { eventRules, newEventRules } from './event.ts'

const event = (namespace: string, rest: object): ApiObject => ({
  metadata: { name: 'e', namespace },
  ...rest,
})

const fieldsSaid = (rules: KindRules, object: ApiObject, before?: ApiObject): string[] =>
  (rules.validate?.(object, before, testWriteContext()) ?? []).map(({ field }) => field ?? '')

const eventTime = '2026-01-01T00:00:00.000000Z'
const whole = {
  regarding: { namespace: 'a', name: 'x' },
  eventTime,
  reportingController: 'example.org/c',
  reportingInstance: 'i',
  action: 'x',
  reason: 'r',
  type: 'Normal',
}

describe('an event', () => {
  it.each([
    ['a', { involvedObject: { namespace: 'a' } }, true],
    ['a', { involvedObject: { namespace: 'b' } }, false],
    ['a', { involvedObject: {} }, false],
    ['default', { involvedObject: {} }, true],
    ['default', {}, true],
    ['kube-system', {}, false],
  ])('in %s with %j is in the right namespace: %s', (namespace, rest, good) => {
    expect(fieldsSaid(eventRules, event(namespace, rest))).toEqual(
      good ? [] : ['involvedObject.namespace'],
    )
  })

  it('keeps its controller in both groups', () => {
    const sent = event('a', whole)
    newEventRules.complete?.(sent)
    const stored = newEventRules.view!.fromView(sent)
    expect(stored).toMatchObject({
      reportingComponent: 'example.org/c',
      involvedObject: { name: 'x' },
    })
    expect(newEventRules.view!.toView(stored)).toMatchObject(whole)
  })

  it('of events.k8s.io requires all fields, without deprecated ones', () => {
    expect(fieldsSaid(newEventRules, event('a', whole))).toEqual([])
    const old = { ...whole, eventTime: null, type: 'Odd', deprecatedCount: 1, series: {} }
    expect(fieldsSaid(newEventRules, event('a', old))).toEqual([
      'series.count',
      'series.lastObservedTime',
      'eventTime',
      'type',
      'count',
    ])
  })

  it('of events.k8s.io changes only its series', () => {
    const before = event('a', whole)
    const series = { count: 2, lastObservedTime: eventTime }
    expect(fieldsSaid(newEventRules, event('a', { ...whole, series }), before)).toEqual([])
    const other = { ...whole, reason: 'q', note: 'n', regarding: { namespace: 'a' } }
    expect(fieldsSaid(newEventRules, event('a', other), before)).toEqual([
      'involvedObject',
      'reason',
      'message',
    ])
  })
})
