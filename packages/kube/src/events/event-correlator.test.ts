import { describe, expect, it } from 'vitest'
import type { Correlated, Occurrence } from './event-correlator.ts'
import { EventCorrelator } from './event-correlator.ts'

const start = Date.parse('2026-01-01T00:00:00Z')
const node = { apiVersion: 'v1', kind: 'Node', name: 'worker-1', uid: 'u1' }

class Bench {
  readonly correlator = new EventCorrelator(
    { component: 'machinist-daemon', host: 'worker-1' },
    { next: () => 0 },
  )

  correlate(message: string, atMs = 0, more: Partial<Occurrence> = {}): Correlated {
    const occurrence = { about: node, type: 'Normal', reason: 'Drain', message, ...more } as const
    return this.correlator.correlate(occurrence, start + atMs, atMs)
  }
}

describe('an occurrence', () => {
  it('becomes an event with the fields that kubectl shows', () => {
    expect(new Bench().correlate('cordoned').event).toEqual({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'worker-1.18867251edfa0000', namespace: 'default' },
      involvedObject: node,
      type: 'Normal',
      reason: 'Drain',
      message: 'cordoned',
      count: 1,
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:00Z',
      source: { component: 'machinist-daemon', host: 'worker-1' },
      reportingComponent: 'machinist-daemon',
      reportingInstance: 'worker-1',
    })
  })

  it('is in the namespace of its object', () => {
    const about = { ...node, kind: 'ConfigMap', namespace: 'machinist' }
    expect(new Bench().correlate('changed', 0, { about }).event.metadata.namespace).toBe(
      'machinist',
    )
  })

  it('is counted when it repeats', () => {
    const bench = new Bench()
    const first = bench.correlate('cordoned')
    const again = bench.correlate('cordoned', 90_000)
    expect(again.record).toBe(first.record)
    expect(again.event).toMatchObject({
      metadata: { name: first.event.metadata.name },
      count: 2,
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:01:30Z',
    })
  })

  it.each([
    ['another message', { message: 'uncordoned' }],
    ['another reason', { reason: 'Cordon' }],
    ['another type', { type: 'Warning' as const }],
    ['another object', { about: { ...node, name: 'worker-2' } }],
    ['another object of the same name', { about: { ...node, uid: 'u2' } }],
    ['another field', { about: { ...node, fieldPath: 'spec' } }],
  ])('is a new event with %s', (_name, more) => {
    const bench = new Bench()
    bench.correlate('cordoned')
    expect(bench.correlate('cordoned', 1, more).event.count).toBe(1)
  })

  it('has a truncated message', () => {
    expect(new Bench().correlate('x'.repeat(5000)).event.message).toHaveLength(1024)
  })
})

describe('many similar occurrences', () => {
  it('are combined from the tenth one', () => {
    const bench = new Bench()
    const results = Array.from({ length: 12 }, (_, i) =>
      bench.correlate(`pod-${i} is still there`, i),
    )
    expect(results.slice(0, 9).every(({ event }) => event.count === 1)).toBe(true)
    expect(results.slice(9).map(({ event }) => [event.message, event.count])).toEqual([
      ['(combined from similar events): pod-9 is still there', 1],
      ['(combined from similar events): pod-10 is still there', 2],
      ['(combined from similar events): pod-11 is still there', 3],
    ])
    expect(new Set(results.slice(9).map(({ record }) => record)).size).toBe(1)
  })

  it('are combined only within ten minutes', () => {
    const bench = new Bench()
    for (let i = 0; i < 9; i++) bench.correlate(`pod-${i}`, i)
    expect(bench.correlate('pod-9', 600_009).event.message).toBe('pod-9')
  })

  it('are not combined when they are equal', () => {
    const bench = new Bench()
    for (let i = 0; i < 15; i++) bench.correlate('the same', i)
    expect(bench.correlate('the same', 20).event).toMatchObject({ message: 'the same', count: 16 })
  })

  it('are truncated including their prefix', () => {
    const bench = new Bench()
    for (let i = 0; i < 9; i++) bench.correlate(`pod-${i}`)
    const { message } = bench.correlate('x'.repeat(1024)).event
    expect(message).toHaveLength(1024)
    expect(message).toMatch(/^\(combined from similar events\): x+\.\.\.$/)
  })
})

describe('too many occurrences', () => {
  it('are spam from the 26th one, but counted', () => {
    const bench = new Bench()
    const results = Array.from({ length: 40 }, () => bench.correlate('unwell'))
    expect(results.map(({ isSpam }) => isSpam)).toEqual([
      ...Array.from({ length: 25 }, () => false),
      ...Array.from({ length: 15 }, () => true),
    ])
    expect(bench.correlate('unwell', 300_000)).toMatchObject({
      isSpam: false,
      event: { count: 41 },
    })
  })

  it('of one type do not suppress the other type', () => {
    const bench = new Bench()
    for (let i = 0; i < 30; i++) bench.correlate('chatter')
    expect(bench.correlate('fire', 0, { type: 'Warning' }).isSpam).toBe(false)
  })
})
