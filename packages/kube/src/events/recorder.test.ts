import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { between, seededRandom } from '@machinist/core/random'
import type { KubeObject } from '@machinist/core/objects/resource'
import { keyOf, keyText } from '@machinist/core/objects/resource'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { KubeClient } from '../client/client.ts'
import { ApiFailure, ConnectionFailure } from '../failure.ts'
import type { CoreEvent } from '../kinds/events.ts'
import type { EventApi } from './event-sender.ts'
import { Recorder } from './recorder.ts'

type ServerFault = number | 'cut' | 'hang' | 'response lost' | undefined

/** An in-memory server for events. */
class MemoryEvents implements EventApi {
  readonly stored = new Map<string, CoreEvent>()
  readonly requests: string[] = []
  fault: () => ServerFault = () => undefined

  create(_resource: unknown, event: CoreEvent, call: { signal: AbortSignal }): Promise<CoreEvent> {
    const key = keyText(keyOf(event))
    return this.#serve('POST', key, call.signal, () => {
      if (this.stored.has(key)) throw refusal(409, 'AlreadyExists')
      this.stored.set(key, structuredClone(event))
    })
  }

  patch: EventApi['patch'] = (_resource, objectKey, patch, call) => {
    const key = keyText(objectKey)
    return this.#serve('PATCH', key, call.signal, () => {
      const before = this.stored.get(key)
      if (!before) throw refusal(404, 'NotFound')
      if (patch.contentType !== 'application/merge-patch+json') throw refusal(415, 'NotAcceptable')
      this.stored.set(key, { ...before, ...(patch.body as Partial<CoreEvent>) })
    })
  }

  recorded(): [string | undefined, number | undefined][] {
    return Array.from(this.stored.values(), ({ message, count }) => [message, count])
  }

  async #serve(
    verb: string,
    key: string,
    signal: AbortSignal,
    act: () => void,
  ): Promise<CoreEvent> {
    this.requests.push(verb)
    await Promise.resolve()
    const fault = this.fault()
    if (fault === 'cut') throw new ConnectionFailure(request, 'socket hang up')
    if (fault === 'hang') {
      await new Promise<void>((end) => signal.addEventListener('abort', () => end()))
      throw new ConnectionFailure(request, 'aborted')
    }
    if (typeof fault === 'number') throw refusal(fault, 'Refused')
    act()
    if (fault === 'response lost') throw new ConnectionFailure(request, 'socket hang up')
    return this.stored.get(key)!
  }
}

const request = { method: 'POST', path: '/api/v1/namespaces/default/events' }
const refusal = (code: number, reason: string): ApiFailure =>
  new ApiFailure(request, code, { code, reason, message: reason })

const node: KubeObject = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'worker-1', uid: 'u1', resourceVersion: '42', labels: { a: 'b' } },
}

class Bench {
  readonly clock = new VirtualClock()
  readonly api = new MemoryEvents()
  readonly metrics = new Metrics()
  readonly lines: string[] = []
  readonly recorder: Recorder

  constructor(seed?: number) {
    const { api, clock, metrics } = this
    this.recorder = new Recorder({
      api,
      component: 'machinist-controllers',
      instance: 'pod-1',
      clock,
      random: seed === undefined ? { next: () => 0 } : seededRandom(seed),
      log: createLogger({ clock, write: (line) => void this.lines.push(line) }),
      metrics,
    })
  }

  dropped(reason: string): string | undefined {
    return this.metric(`machinist_events_dropped_total{reason="${reason}"}`)
  }

  metric(line: string): string | undefined {
    const found = this.metrics.text().split('\n')
    return found.find((text) => text.startsWith(`${line} `))?.slice(line.length + 1)
  }
}

describe('a recorder', () => {
  it('writes an event', async () => {
    const { recorder, api } = new Bench()
    recorder.normal(node, 'Drained', 'all pods are gone')
    expect(api.requests).toEqual([])
    await recorder.flush()
    expect([...api.stored.values()]).toMatchObject([
      {
        type: 'Normal',
        reason: 'Drained',
        message: 'all pods are gone',
        count: 1,
        involvedObject: {
          apiVersion: 'v1',
          kind: 'Node',
          name: 'worker-1',
          uid: 'u1',
          resourceVersion: '42',
        },
        source: { component: 'machinist-controllers', host: 'pod-1' },
        reportingComponent: 'machinist-controllers',
        reportingInstance: 'pod-1',
      },
    ])
  })

  it('accepts KubeClient', () => {
    const given = (client: KubeClient): EventApi => client
    expect(given).toBeTypeOf('function')
  })

  it('writes warnings and accepts references', async () => {
    const { recorder, api } = new Bench()
    recorder.warning({ kind: 'Pod', namespace: 'ns', name: 'p' }, 'Stuck', 'does not leave')
    await recorder.flush()
    expect([...api.stored.values()]).toMatchObject([
      {
        type: 'Warning',
        metadata: { namespace: 'ns' },
        involvedObject: { kind: 'Pod', name: 'p' },
      },
    ])
  })

  it('patches the count of a repeated event', async () => {
    const { recorder, api, clock } = new Bench()
    recorder.normal(node, 'Drain', 'started')
    await recorder.flush()
    await clock.advance(60_000)
    recorder.normal(node, 'Drain', 'started')
    await recorder.flush()
    expect(api.requests).toEqual(['POST', 'PATCH'])
    expect([...api.stored.values()]).toMatchObject([
      {
        count: 2,
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:01:00Z',
      },
    ])
  })

  it('sends repetitions of a queued event once', async () => {
    const bench = new Bench()
    for (let i = 0; i < 20; i++) bench.recorder.normal(node, 'Drain', 'started')
    await bench.recorder.flush()
    expect(bench.api.requests).toEqual(['POST'])
    expect(bench.api.recorded()).toEqual([['started', 20]])
    expect(bench.metric('machinist_events_sent_total')).toBe('1')
  })

  it('recreates an expired event', async () => {
    const { recorder, api } = new Bench()
    recorder.normal(node, 'Drain', 'started')
    await recorder.flush()
    api.stored.clear()
    recorder.normal(node, 'Drain', 'started')
    await recorder.flush()
    expect(api.requests).toEqual(['POST', 'PATCH', 'POST'])
    expect(api.recorded()).toEqual([['started', 2]])
  })

  it('combines similar events', async () => {
    const { recorder, api } = new Bench()
    for (let i = 0; i < 14; i++) {
      recorder.normal(node, 'Evict', `pod-${i} refused`)
      await recorder.flush()
    }
    expect(api.stored.size).toBe(10)
    expect(api.recorded().at(-1)).toEqual(['(combined from similar events): pod-13 refused', 5])
  })

  it('filters spam', async () => {
    const bench = new Bench()
    for (let i = 0; i < 100; i++) {
      bench.recorder.normal(node, 'Unwell', 'again')
      await bench.recorder.flush()
    }
    expect(bench.api.requests).toHaveLength(25)
    expect(bench.dropped('spam')).toBe('75')
    await bench.clock.advance(300_000)
    bench.recorder.normal(node, 'Unwell', 'again')
    await bench.recorder.flush()
    expect(bench.api.recorded()).toEqual([['again', 101]])
  })
})

describe('a recorder with a failing server', () => {
  it.each(['cut', 429, 500, 503] as const)('retries after %s', async (fault) => {
    const { recorder, api, clock } = new Bench()
    let left = 2
    api.fault = () => (left-- > 0 ? fault : undefined)
    recorder.normal(node, 'Drain', 'started')
    await clock.advance(4000)
    expect(api.recorded()).toEqual([['started', 1]])
  })

  it('drops an event after five attempts and sends the next', async () => {
    const bench = new Bench()
    let requests = 0
    bench.api.fault = () => (requests++ < 5 ? 503 : undefined)
    bench.recorder.normal(node, 'Drain', 'first')
    bench.recorder.normal(node, 'Drain', 'second')
    await bench.clock.advance(120_000)
    expect(bench.api.recorded()).toEqual([['second', 1]])
    expect(bench.dropped('unreachable')).toBe('1')
    bench.recorder.normal(node, 'Drain', 'first')
    await bench.recorder.flush()
    expect(bench.api.recorded()).toEqual([
      ['second', 1],
      ['first', 2],
    ])
  })

  it.each([400, 403, 422])('does not retry after %s', async (code) => {
    const bench = new Bench()
    bench.api.fault = () => code
    bench.recorder.normal(node, 'Drain', 'started')
    await bench.recorder.flush()
    expect(bench.api.requests).toEqual(['POST'])
    expect(bench.dropped('rejected')).toBe('1')
  })

  it('succeeds if an earlier attempt reached the server', async () => {
    const bench = new Bench()
    let left = 1
    bench.api.fault = () => (left-- > 0 ? 'response lost' : undefined)
    bench.recorder.normal(node, 'Drain', 'started')
    await bench.clock.advance(2000)
    expect(bench.metric('machinist_events_sent_total')).toBe('1')
    bench.recorder.normal(node, 'Drain', 'started')
    await bench.recorder.flush()
    expect(bench.api.recorded()).toEqual([['started', 2]])
  })

  it('updates the count of a dropped event that reached the server', async () => {
    const bench = new Bench()
    const troubles: ServerFault[] = ['response lost', 'cut', 'cut', 'cut', 'cut']
    bench.api.fault = () => troubles.shift()
    bench.recorder.normal(node, 'Drain', 'started')
    await bench.clock.advance(120_000)
    expect(bench.dropped('unreachable')).toBe('1')
    bench.recorder.normal(node, 'Drain', 'started')
    await bench.recorder.flush()
    expect(bench.api.recorded()).toEqual([['started', 2]])
  })

  it('aborts requests without a response', async () => {
    const bench = new Bench()
    let left = 1
    bench.api.fault = () => (left-- > 0 ? 'hang' : undefined)
    bench.recorder.normal(node, 'Drain', 'started')
    await bench.clock.advance(11_000)
    expect(bench.api.recorded()).toEqual([['started', 1]])
  })

  it('queues at most a thousand events', async () => {
    const bench = new Bench(1)
    bench.api.fault = () => 'hang'
    for (let i = 0; i < 1500; i++) {
      bench.recorder.normal({ kind: 'Pod', name: `pod-${i}` }, 'Drain', 'started')
    }
    expect(bench.dropped('queue-full')).toBe('500')
    await bench.clock.advance(0)
    expect(bench.api.requests).toHaveLength(1)
  })

  it('never throws, even for invalid input', async () => {
    const bench = new Bench()
    bench.recorder.normal({ metadata: undefined } as unknown as KubeObject, 'Drain', 'started')
    bench.recorder.normal(node, 'Drain', undefined as unknown as string)
    await bench.recorder.flush()
    expect(Number(bench.dropped('invalid'))).toBeGreaterThanOrEqual(1)
    expect(bench.lines.join('')).toContain('cannot record an event')
  })
})

describe('a closed recorder', () => {
  it('sends queued events', async () => {
    const { recorder, api, clock } = new Bench()
    for (let i = 0; i < 5; i++) recorder.normal(node, 'Drain', `step ${i}`)
    await recorder.close()
    expect(api.stored.size).toBe(5)
    expect(clock.pending).toBe(0)
  })

  it('makes one attempt for each event when the server fails', async () => {
    const bench = new Bench()
    bench.api.fault = () => 503
    bench.recorder.normal(node, 'Drain', 'first')
    bench.recorder.normal(node, 'Drain', 'second')
    await bench.clock.advance(0)
    await bench.recorder.close()
    expect(bench.api.requests).toHaveLength(3)
    expect(bench.dropped('unreachable')).toBe('2')
    expect(bench.clock.pending).toBe(0)
  })

  it('stops within seconds without a response', async () => {
    const bench = new Bench()
    bench.api.fault = () => 'hang'
    for (let i = 0; i < 5; i++) bench.recorder.normal(node, 'Drain', `step ${i}`)
    const closed = bench.recorder.close()
    await bench.clock.advance(5000)
    await closed
    expect(bench.dropped('closed')).toBe('4')
    expect(bench.dropped('unreachable')).toBe('1')
  })

  it('rejects new events', async () => {
    const bench = new Bench()
    await bench.recorder.close()
    bench.recorder.normal(node, 'Drain', 'late')
    await bench.recorder.flush()
    expect(bench.api.requests).toEqual([])
    expect(bench.dropped('closed')).toBe('1')
  })
})

describe('with random faults', () => {
  it('every occurrence is in a count on the server or in the dropped metric', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const random = seededRandom(seed)
        const bench = new Bench(seed)
        const troubles: ServerFault[] = ['cut', 'hang', 'response lost', 429, 500, 403, undefined]
        const pain = random.next()
        bench.api.fault = () =>
          random.next() < pain ? troubles[between(random, 0, troubles.length - 1)] : undefined
        const happened = new Map<string, number>()
        for (let i = 0; i < 60; i++) {
          const name = `n${between(random, 1, 3)}`
          happened.set(name, (happened.get(name) ?? 0) + 1)
          bench.recorder.warning({ kind: 'Node', name }, 'Unwell', 'again')
          if (random.next() < 0.3) await bench.clock.advance(between(random, 0, 400_000))
          // Events expire.
          if (random.next() < 0.05) bench.api.stored.clear()
        }
        await bench.clock.advance(86_400_000)
        bench.api.fault = () => undefined
        for (const name of happened.keys()) {
          bench.recorder.warning({ kind: 'Node', name }, 'Unwell', 'again')
        }
        await bench.clock.advance(60_000)
        const counts = new Map(
          Array.from(bench.api.stored.values(), (e) => [e.involvedObject.name, e.count]),
        )
        for (const [name, times] of happened) expect(counts.get(name)).toBe(times + 1)
        expect(bench.clock.pending).toBe(0)
      }),
      { numRuns: 60 },
    )
  })
})
