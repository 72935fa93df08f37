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

  tell(message: string, atMs = 0, more: Partial<Occurrence> = {}): Correlated {
    const occurrence = { about: node, type: 'Normal', reason: 'Drain', message, ...more } as const
    return this.correlator.correlate(occurrence, start + atMs, atMs)
  }
}

describe('an occurrence', () => {
  it('becomes an event as kubectl shows it', () => {
    expect(new Bench().tell('cordoned').event).toEqual({
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

  it('is told where its object lives', () => {
    const about = { ...node, kind: 'ConfigMap', namespace: 'machinist' }
    expect(new Bench().tell('changed', 0, { about }).event.metadata.namespace).toBe('machinist')
  })

  it('is counted when it happens again', () => {
    const bench = new Bench()
    const first = bench.tell('cordoned')
    const again = bench.tell('cordoned', 90_000)
    expect(again.sighting).toBe(first.sighting)
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
  ])('is another one with %s', (_name, more) => {
    const bench = new Bench()
    bench.tell('cordoned')
    expect(bench.tell('cordoned', 1, more).event.count).toBe(1)
  })

  it('has a message that fits', () => {
    expect(new Bench().tell('x'.repeat(5000)).event.message).toHaveLength(1024)
  })
})

describe('many similar occurrences', () => {
  it('are combined from the tenth on', () => {
    const bench = new Bench()
    const told = Array.from({ length: 12 }, (_, i) => bench.tell(`pod-${i} is still there`, i))
    expect(told.slice(0, 9).every(({ event }) => event.count === 1)).toBe(true)
    expect(told.slice(9).map(({ event }) => [event.message, event.count])).toEqual([
      ['(combined from similar events): pod-9 is still there', 1],
      ['(combined from similar events): pod-10 is still there', 2],
      ['(combined from similar events): pod-11 is still there', 3],
    ])
    expect(new Set(told.slice(9).map(({ sighting }) => sighting)).size).toBe(1)
  })

  it('are combined only while they come close together', () => {
    const bench = new Bench()
    for (let i = 0; i < 9; i++) bench.tell(`pod-${i}`, i)
    expect(bench.tell('pod-9', 600_009).event.message).toBe('pod-9')
  })

  it('are not combined when they are the same', () => {
    const bench = new Bench()
    for (let i = 0; i < 15; i++) bench.tell('the same', i)
    expect(bench.tell('the same', 20).event).toMatchObject({ message: 'the same', count: 16 })
  })

  it('fit with their prefix', () => {
    const bench = new Bench()
    for (let i = 0; i < 9; i++) bench.tell(`pod-${i}`)
    const { message } = bench.tell('x'.repeat(1024)).event
    expect(message).toHaveLength(1024)
    expect(message).toMatch(/^\(combined from similar events\): x+\.\.\.$/)
  })
})

describe('too many occurrences', () => {
  it('are spam from the 26th on, but counted', () => {
    const bench = new Bench()
    const told = Array.from({ length: 40 }, () => bench.tell('unwell'))
    expect(told.map(({ isSpam }) => isSpam)).toEqual([
      ...Array.from({ length: 25 }, () => false),
      ...Array.from({ length: 15 }, () => true),
    ])
    expect(bench.tell('unwell', 300_000)).toMatchObject({ isSpam: false, event: { count: 41 } })
  })

  it('of one kind do not silence warnings about the same object', () => {
    const bench = new Bench()
    for (let i = 0; i < 30; i++) bench.tell('chatter')
    expect(bench.tell('fire', 0, { type: 'Warning' }).isSpam).toBe(false)
  })
})
