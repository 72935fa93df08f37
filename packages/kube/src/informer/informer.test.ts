import { afterEach, describe, expect, it } from 'vitest'
import type { Logger } from '@machinist/core/log'
import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import { seededRandom } from '@machinist/core/random'
import type { KubeObject } from '@machinist/core/objects/resource'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { Fault, FaultPlace } from './memory-list-watch.fixture.ts'
import { MemoryListWatch } from './memory-list-watch.fixture.ts'
import type { Change } from './change.ts'
import type { InformerOptions } from './informer.ts'
import { Informer } from './informer.ts'

interface Thing extends KubeObject {
  color?: string
}

const thing = (name: string, color = 'red'): Thing => ({ metadata: { name }, color })

/** Changes as text: `added a`, `updated a`, `deleted a`. */
const describeChanges = (changes: readonly Change<Thing>[]): string[] =>
  changes.map((change) => `${change.type} ${change.object.metadata.name}`)

class InformerFixture {
  readonly clock = new VirtualClock()
  readonly server = new MemoryListWatch<Thing>(this.clock)
  readonly metrics = new Metrics()
  readonly lines: string[] = []
  readonly log: Logger = createLogger({
    clock: this.clock,
    write: (line) => void this.lines.push(line),
  })
  readonly changes: Change<Thing>[] = []
  readonly stop = new AbortController()
  readonly informer: Informer<Thing>

  constructor(options: Partial<InformerOptions<Thing>> = {}) {
    const random: Random = options.random ?? { next: () => 0 }
    const { clock, server, log, metrics } = this
    this.informer = new Informer<Thing>({
      resource: 'things',
      source: server,
      clock,
      random,
      log,
      metrics,
      ...options,
    })
    this.informer.subscribe((change) => void this.changes.push(change))
    fixtures.push(this)
  }

  async start(): Promise<this> {
    void this.informer.start(this.stop.signal)
    await this.clock.advance(0)
    return this
  }

  /** Injects this fault at this place the next `times` times. */
  faulty(place: FaultPlace, fault: Fault, times = 1): void {
    let left = times
    this.server.fault = (where) => (where === place && left-- > 0 ? fault : undefined)
  }

  metric(line: string): string | undefined {
    const found = this.metrics.text().split('\n')
    return found.find((text) => text.startsWith(`${line} `))?.slice(line.length + 1)
  }

  cached(): string[] {
    return this.informer
      .list()
      .map((object) => `${object.metadata.name} ${object.color}`)
      .sort()
  }

  watches(): { version: string | undefined; at: number }[] {
    return this.server.requests
      .filter((request) => request.verb === 'watch')
      .map(({ options, at }) => ({ version: options.resourceVersion, at }))
  }
}

const fixtures: InformerFixture[] = []
afterEach(() => {
  for (const fixture of fixtures.splice(0)) fixture.stop.abort()
})

describe('a starting informer', () => {
  it('is empty before its first list', () => {
    const fixture = new InformerFixture()
    expect(fixture.informer.hasSynced).toBe(false)
    expect(fixture.informer.isConnected).toBe(false)
    expect(fixture.informer.lastActivity).toBeUndefined()
    expect(fixture.informer.list()).toEqual([])
  })

  it('lists, then watches from the version of the list', async () => {
    const fixture = new InformerFixture({
      selection: { namespace: 'ns', labels: 'a=b', fields: 'c=d' },
    })
    fixture.server.put(thing('a'))
    fixture.server.put(thing('b'))
    await fixture.start()
    expect(fixture.server.requests.map((request) => [request.verb, request.options])).toEqual([
      ['list', { namespace: 'ns', labels: 'a=b', fields: 'c=d', limit: 500 }],
      [
        'watch',
        {
          namespace: 'ns',
          labels: 'a=b',
          fields: 'c=d',
          resourceVersion: '2',
          bookmarks: true,
          timeoutSeconds: 300,
          idleMs: 150_000,
        },
      ],
    ])
    expect(fixture.cached()).toEqual(['a red', 'b red'])
    expect(fixture.informer.isConnected).toBe(true)
    expect(fixture.informer.lastActivity).toBe(Date.parse('2026-01-01T00:00:00Z'))
  })

  it('requests random watch timeouts of 5 to 10 minutes', async () => {
    const fixture = await new InformerFixture({ random: seededRandom(7) }).start()
    await fixture.clock.advance(24 * 3600_000)
    const times = fixture.server.requests.flatMap((request) =>
      request.verb === 'watch' ? [request.options.timeoutSeconds!] : [],
    )
    expect(times.length).toBeGreaterThan(140)
    expect(Math.min(...times)).toBeGreaterThanOrEqual(300)
    expect(Math.max(...times)).toBeLessThanOrEqual(600)
    expect(new Set(times).size).toBeGreaterThan(50)
  })

  it('reads long lists in pages', async () => {
    const fixture = new InformerFixture()
    for (let i = 0; i < 1201; i++) fixture.server.put(thing(`t${i}`))
    await fixture.start()
    const lists = fixture.server.requests.filter((request) => request.verb === 'list')
    expect(lists.map(({ options }) => options.continue)).toEqual([
      undefined,
      '1201:500',
      '1201:1000',
    ])
    expect(fixture.informer.size).toBe(1201)
    expect(fixture.metric('machinist_informer_objects{resource="things"}')).toBe('1201')
  })

  it('is synced after the subscribers are notified', async () => {
    const fixture = new InformerFixture()
    fixture.server.put(thing('a'))
    const order: string[] = []
    fixture.informer.subscribe((change) => void order.push(change.type))
    void fixture.informer.synced().then((done) => order.push(`synced ${done}`))
    await fixture.start()
    expect(order).toEqual(['added', 'synced true'])
    expect(fixture.changes[0]).toMatchObject({ type: 'added', initial: true })
    expect(await fixture.informer.synced()).toBe(true)
  })

  it('reports that it was stopped before it synced', async () => {
    const fixture = new InformerFixture()
    fixture.faulty('list', 'hang')
    await fixture.start()
    fixture.stop.abort()
    expect(await fixture.informer.synced()).toBe(false)
    expect(fixture.informer.hasSynced).toBe(false)
  })

  it('can be started only once', async () => {
    const fixture = await new InformerFixture().start()
    await expect(fixture.informer.start(fixture.stop.signal)).rejects.toThrow(
      'the informer for things is already started',
    )
  })

  it('waits for a kind that does not exist yet', async () => {
    const fixture = new InformerFixture()
    fixture.faulty('list', 404, 3)
    await fixture.start()
    expect(fixture.informer.hasSynced).toBe(false)
    await fixture.clock.advance(10_000)
    expect(fixture.informer.hasSynced).toBe(true)
    expect(
      fixture.metric('machinist_informer_relists_total{resource="things",reason="start"}'),
    ).toBe('1')
  })

  it('aborts a list without a response and retries', async () => {
    const fixture = new InformerFixture()
    fixture.faulty('list', 'hang')
    await fixture.start()
    await fixture.clock.advance(69_999)
    expect(fixture.server.count('list')).toBe(1)
    await fixture.clock.advance(1000)
    expect(fixture.server.count('list')).toBe(2)
    expect(fixture.informer.hasSynced).toBe(true)
  })

  it('fails if the server returns the same page repeatedly', async () => {
    const fixture = new InformerFixture({
      source: {
        list: () => Promise.resolve({ items: [], resourceVersion: '1', continue: 'again' }),
        watch: () => {
          throw new Error('must not be reached')
        },
      },
    })
    await fixture.start()
    expect(fixture.informer.hasSynced).toBe(false)
    expect(fixture.lines.join('')).toContain(
      'the server returns the same page of a list repeatedly',
    )
  })
})

describe('a running informer', () => {
  it('notifies of every change in order', async () => {
    const fixture = await new InformerFixture().start()
    fixture.server.put(thing('a'))
    fixture.server.put(thing('a', 'blue'))
    fixture.server.remove('a')
    fixture.server.put(thing('a', 'green'))
    await fixture.clock.advance(0)
    expect(describeChanges(fixture.changes)).toEqual([
      'added a',
      'updated a',
      'deleted a',
      'added a',
    ])
    expect(fixture.changes[0]).toMatchObject({ initial: false })
    expect(fixture.changes[1]).toMatchObject({
      object: { color: 'blue' },
      before: { color: 'red' },
    })
    expect(fixture.changes[2]).toMatchObject({ object: { color: 'blue' }, missed: false })
    expect(fixture.cached()).toEqual(['a green'])
    expect(fixture.metric('machinist_informer_objects{resource="things"}')).toBe('1')
  })

  it('maintains indexes', async () => {
    const fixture = new InformerFixture({ indexes: { color: (object) => [object.color ?? ''] } })
    await fixture.start()
    fixture.server.put(thing('a', 'red'))
    fixture.server.put(thing('b', 'red'))
    fixture.server.put(thing('b', 'blue'))
    await fixture.clock.advance(0)
    expect(fixture.informer.byIndex('color', 'red').map((o) => o.metadata.name)).toEqual(['a'])
    expect(fixture.informer.byIndex('color', 'blue').map((o) => o.metadata.name)).toEqual(['b'])
  })

  it('survives a failing index and a failing transform', async () => {
    const fixture = new InformerFixture({
      indexes: {
        bad: () => {
          throw new Error('index is broken')
        },
      },
      transform: () => {
        throw new Error('transform is broken')
      },
    })
    fixture.server.put(thing('a'))
    await fixture.start()
    expect(fixture.cached()).toEqual(['a red'])
    expect(fixture.informer.byIndex('bad', 'x')).toEqual([])
    expect(fixture.lines.join('')).toContain('index is broken')
    expect(fixture.lines.join('')).toContain('transform is broken')
  })

  it('removes managedFields and applies the transform', async () => {
    const fixture = new InformerFixture({
      transform: (object) => ({ metadata: object.metadata }),
    })
    const heavy = thing('a')
    heavy.metadata.managedFields = [{ manager: 'kubectl', fieldsV1: { 'f:spec': {} } }]
    fixture.server.put(heavy)
    await fixture.start()
    expect(fixture.informer.get('a')).toEqual({
      metadata: { name: 'a', uid: 'uid-1', resourceVersion: '1' },
    })
  })

  it('returns frozen objects', async () => {
    const fixture = new InformerFixture()
    fixture.server.put({ metadata: { name: 'a', labels: { x: 'y' } } })
    await fixture.start()
    const object = fixture.informer.get('a') as Thing
    expect(() => void (object.color = 'blue')).toThrow(TypeError)
    expect(() => void (object.metadata.labels!['x'] = 'z')).toThrow(TypeError)
  })

  it('resumes a watch after its timeout from the last version, without a list', async () => {
    const fixture = await new InformerFixture().start()
    fixture.server.put(thing('a'))
    await fixture.clock.advance(300_000)
    fixture.server.put(thing('b'))
    await fixture.clock.advance(0)
    expect(fixture.watches()).toEqual([
      { version: '0', at: 0 },
      { version: '1', at: 300_000 },
    ])
    expect(fixture.server.count('list')).toBe(1)
    expect(describeChanges(fixture.changes)).toEqual(['added a', 'added b'])
    expect(
      fixture.metric('machinist_informer_watch_restarts_total{resource="things",reason="timeout"}'),
    ).toBe('1')
  })

  it('takes versions from bookmarks, so that a resource without changes never expires', async () => {
    const clock = new VirtualClock()
    const versions: (string | undefined)[] = []
    const fixture = new InformerFixture({
      clock,
      source: {
        list: () => Promise.resolve({ items: [], resourceVersion: '10' }),
        async *watch(options, signal) {
          versions.push(options.resourceVersion)
          if (versions.length > 1)
            await new Promise((done) => signal.addEventListener('abort', done))
          else {
            yield { type: 'BOOKMARK', resourceVersion: '4000' }
            // An older bookmark must not reduce the version.
            yield { type: 'BOOKMARK', resourceVersion: '12' }
          }
        },
      },
    })
    await fixture.start()
    expect(versions).toEqual(['10', '4000'])
  })

  it('keeps running while handlers throw and reject', async () => {
    const fixture = new InformerFixture()
    fixture.informer.subscribe(() => {
      throw new Error('thrown by a handler')
    })
    fixture.informer.subscribe(() => Promise.reject(new Error('rejected by a handler')))
    await fixture.start()
    fixture.server.put(thing('a'))
    fixture.server.put(thing('b'))
    await fixture.clock.advance(0)
    expect(describeChanges(fixture.changes)).toEqual(['added a', 'added b'])
    expect(fixture.metric('machinist_informer_handler_errors_total{resource="things"}')).toBe('4')
    expect(fixture.lines.filter((line) => line.includes('thrown by a handler'))).toHaveLength(2)
    expect(fixture.lines.filter((line) => line.includes('rejected by a handler'))).toHaveLength(2)
  })

  it('records the time of the last data from the server', async () => {
    const fixture = await new InformerFixture().start()
    await fixture.clock.advance(61_000)
    expect(fixture.informer.lastActivity).toBe(Date.parse('2026-01-01T00:01:00Z'))
    expect(
      fixture.metric('machinist_informer_last_event_timestamp_seconds{resource="things"}'),
    ).toBe('1767225660')
  })
})

describe('a late subscriber', () => {
  it('receives the present objects, then the changes', async () => {
    const fixture = new InformerFixture()
    fixture.server.put(thing('a'))
    await fixture.start()
    const late: Change<Thing>[] = []
    fixture.informer.subscribe((change) => void late.push(change))
    expect(late).toMatchObject([
      { type: 'added', initial: true, object: { metadata: { name: 'a' } } },
    ])
    fixture.server.put(thing('a', 'blue'))
    await fixture.clock.advance(0)
    expect(describeChanges(late)).toEqual(['added a', 'updated a'])
  })

  it('receives each object once when it subscribes during a list', async () => {
    const fixture = new InformerFixture()
    const late: Change<Thing>[] = []
    let subscribed = false
    fixture.informer.subscribe(() => {
      if (subscribed) return
      subscribed = true
      fixture.informer.subscribe((change) => void late.push(change))
    })
    for (const name of ['a', 'b', 'c']) fixture.server.put(thing(name))
    await fixture.start()
    expect(describeChanges(late)).toEqual(['added a', 'added b', 'added c'])
  })

  it('receives nothing after it has unsubscribed, even within the same change', async () => {
    const fixture = new InformerFixture()
    const received: string[] = []
    let leave = (): void => {}
    fixture.informer.subscribe(() => leave())
    leave = fixture.informer.subscribe((change) => void received.push(change.type))
    await fixture.start()
    fixture.server.put(thing('a'))
    await fixture.clock.advance(0)
    expect(received).toEqual([])
  })

  it('can be the same function twice', async () => {
    const fixture = new InformerFixture()
    const received: string[] = []
    const handler = (change: Change<Thing>): void => void received.push(change.type)
    const leave = fixture.informer.subscribe(handler)
    fixture.informer.subscribe(handler)
    await fixture.start()
    fixture.server.put(thing('a'))
    await fixture.clock.advance(0)
    leave()
    fixture.server.remove('a')
    await fixture.clock.advance(0)
    expect(received).toEqual(['added', 'added', 'deleted'])
  })
})

describe('an informer with faults', () => {
  it('relists when its version has expired, and notifies of missed changes', async () => {
    const fixture = new InformerFixture()
    for (const name of ['a', 'b', 'c']) fixture.server.put(thing(name))
    await fixture.start()
    fixture.changes.length = 0
    fixture.faulty('watch', 'cut', 3)
    await fixture.clock.advance(300_000)
    // The connection is down; meanwhile the history is compacted.
    fixture.server.remove('a')
    fixture.server.put(thing('b', 'blue'))
    fixture.server.put(thing('d'))
    fixture.server.compact()
    await fixture.clock.advance(20_000)
    expect(describeChanges(fixture.changes)).toEqual(['deleted a', 'updated b', 'added d'])
    expect(fixture.changes[0]).toMatchObject({ missed: true, object: { color: 'red' } })
    expect(fixture.changes[2]).toMatchObject({ initial: false })
    expect(fixture.cached()).toEqual(['b blue', 'c red', 'd red'])
    expect(
      fixture.metric('machinist_informer_relists_total{resource="things",reason="expired"}'),
    ).toBe('1')
    expect(
      fixture.metric('machinist_informer_watch_restarts_total{resource="things",reason="expired"}'),
    ).toBe('1')
  })

  it('does not notify of unchanged objects', async () => {
    const fixture = new InformerFixture()
    for (let i = 0; i < 50; i++) fixture.server.put(thing(`t${i}`))
    await fixture.start()
    const before = fixture.informer.list()
    fixture.changes.length = 0
    fixture.faulty('watch', 410)
    await fixture.clock.advance(310_000)
    expect(fixture.server.count('list')).toBe(2)
    expect(fixture.changes).toEqual([])
    const after = fixture.informer.list()
    expect(after.every((object, i) => object === before[i])).toBe(true)
  })

  it('notifies of the deletion of an object that was replaced by another with the same name', async () => {
    const fixture = new InformerFixture()
    fixture.server.put(thing('a'))
    await fixture.start()
    fixture.faulty('watch', 410)
    await fixture.clock.advance(300_000)
    fixture.server.remove('a')
    fixture.server.put(thing('a', 'new'))
    await fixture.clock.advance(2000)
    expect(describeChanges(fixture.changes)).toEqual(['added a', 'deleted a', 'added a'])
    expect(fixture.changes[1]).toMatchObject({
      missed: true,
      object: { metadata: { uid: 'uid-1' } },
    })
    expect(fixture.changes[2]).toMatchObject({ object: { metadata: { uid: 'uid-2' } } })
  })

  it('requests the list without a limit when it expires between two pages', async () => {
    const fixture = new InformerFixture()
    for (let i = 0; i < 700; i++) fixture.server.put(thing(`t${i}`))
    fixture.faulty('page', 410)
    await fixture.start()
    const lists = fixture.server.requests.filter((request) => request.verb === 'list')
    expect(lists.map(({ options }) => options)).toEqual([
      { limit: 500 },
      { limit: 500, continue: '700:500' },
      {},
    ])
    expect(fixture.informer.size).toBe(700)
  })

  it('restarts the list when a later page fails', async () => {
    const fixture = new InformerFixture()
    for (let i = 0; i < 700; i++) fixture.server.put(thing(`t${i}`))
    fixture.faulty('page', 503)
    await fixture.start()
    expect(fixture.informer.hasSynced).toBe(false)
    expect(fixture.changes).toEqual([])
    await fixture.clock.advance(1000)
    expect(fixture.informer.size).toBe(700)
  })

  it.each([
    ['cut', 'connection'],
    [429, 'too-many-requests'],
    [500, 'server-error'],
    [503, 'server-error'],
    [401, 'not-allowed'],
    [403, 'not-allowed'],
  ] as const)('resumes after %s without a list', async (fault, reason) => {
    const fixture = new InformerFixture()
    fixture.server.put(thing('a'))
    fixture.faulty('event', fault)
    await fixture.start()
    fixture.server.put(thing('b'))
    await fixture.clock.advance(0)
    fixture.server.put(thing('c'))
    await fixture.clock.advance(800)
    expect(fixture.cached()).toEqual(['a red', 'b red', 'c red'])
    expect(fixture.server.count('list')).toBe(1)
    expect(fixture.watches().map(({ version }) => version)).toEqual(['1', '2'])
    expect(
      fixture.metric(
        `machinist_informer_watch_restarts_total{resource="things",reason="${reason}"}`,
      ),
    ).toBe('1')
  })

  it.each([
    [400, 'refused'],
    [404, 'refused'],
    [504, 'version-unknown'],
  ] as const)('lists again after %s', async (fault, reason) => {
    const fixture = new InformerFixture()
    fixture.faulty('watch', fault)
    await fixture.start()
    await fixture.clock.advance(1000)
    expect(fixture.server.count('list')).toBe(2)
    expect(
      fixture.metric(`machinist_informer_relists_total{resource="things",reason="${reason}"}`),
    ).toBe('1')
  })

  it('backs off from 800 ms to 30 s', async () => {
    const fixture = new InformerFixture()
    fixture.faulty('watch', 'cut', 8)
    await fixture.start()
    await fixture.clock.advance(120_000)
    const at = fixture.watches().map((watch) => watch.at)
    expect(at.slice(0, 9).map((time, i) => time - (at[i - 1] ?? 0))).toEqual([
      0, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000,
    ])
  })

  it('resets the back-off after two healthy minutes', async () => {
    const fixture = new InformerFixture()
    fixture.faulty('watch', 'cut', 4)
    await fixture.start()
    await fixture.clock.advance(12_000)
    expect(fixture.server.count('watch')).toBe(5)
    await fixture.clock.advance(130_000)
    fixture.faulty('event', 'cut')
    fixture.server.put(thing('a'))
    await fixture.clock.advance(0)
    const before = fixture.server.count('watch')
    await fixture.clock.advance(799)
    expect(fixture.server.count('watch')).toBe(before)
    await fixture.clock.advance(1)
    expect(fixture.server.count('watch')).toBe(before + 1)
  })

  it('respects Retry-After', async () => {
    const fixture = new InformerFixture()
    fixture.server.retryAfterSeconds = 45
    fixture.faulty('list', 429)
    await fixture.start()
    await fixture.clock.advance(44_999)
    expect(fixture.server.count('list')).toBe(1)
    await fixture.clock.advance(1)
    expect(fixture.server.count('list')).toBe(2)
  })

  it('backs off from a server that closes every watch immediately', async () => {
    const fixture = new InformerFixture()
    fixture.faulty('watch', 'end', 1000)
    await fixture.start()
    await fixture.clock.advance(60_000)
    expect(fixture.server.count('watch')).toBe(7)
    expect(
      fixture.metric(
        'machinist_informer_watch_restarts_total{resource="things",reason="short-watch"}',
      ),
    ).toBe('7')
  })

  it('backs off from a server that serves lists and expires every watch', async () => {
    const fixture = new InformerFixture()
    fixture.faulty('watch', 410, 1000)
    await fixture.start()
    await fixture.clock.advance(60_000)
    expect(fixture.server.count('list')).toBe(7)
  })

  it('detects a dead connection', async () => {
    const fixture = new InformerFixture()
    fixture.faulty('event', 'silence')
    await fixture.start()
    fixture.server.put(thing('a'))
    await fixture.clock.advance(0)
    fixture.server.put(thing('b'))
    await fixture.clock.advance(149_999)
    expect(fixture.cached()).toEqual(['a red'])
    await fixture.clock.advance(1000)
    expect(fixture.cached()).toEqual(['a red', 'b red'])
    expect(fixture.server.count('list')).toBe(1)
  })

  it('aborts a watch that hangs beyond its timeout', async () => {
    const fixture = new InformerFixture()
    fixture.faulty('watch', 'hang')
    await fixture.start()
    fixture.server.put(thing('a'))
    await fixture.clock.advance(329_999)
    expect(fixture.cached()).toEqual([])
    await fixture.clock.advance(801)
    expect(fixture.cached()).toEqual(['a red'])
    expect(fixture.server.count('list')).toBe(1)
    expect(fixture.lines.join('')).toContain('a watch did not finish within 330 s')
  })

  it('works with a server that sends no bookmarks', async () => {
    const fixture = new InformerFixture()
    fixture.server.bookmarks = false
    await fixture.start()
    await fixture.clock.advance(3600_000)
    fixture.server.put(thing('a'))
    await fixture.clock.advance(1000)
    expect(fixture.cached()).toEqual(['a red'])
    expect(fixture.server.count('list')).toBe(1)
  })

  it('reports whether it is connected', async () => {
    const fixture = await new InformerFixture().start()
    expect(fixture.informer.isConnected).toBe(true)
    fixture.faulty('watch', 503, 3)
    await fixture.clock.advance(300_000)
    expect(fixture.informer.isConnected).toBe(false)
    // The fourth attempt, at 5.6 s, opens a silent watch, which counts as open after ten seconds.
    await fixture.clock.advance(15_599)
    expect(fixture.informer.isConnected).toBe(false)
    await fixture.clock.advance(1)
    expect(fixture.informer.isConnected).toBe(true)
    fixture.stop.abort()
    await fixture.clock.advance(0)
    expect(fixture.informer.isConnected).toBe(false)
  })

  it('ignores replayed events', async () => {
    const fixture = new InformerFixture()
    await fixture.start()
    fixture.server.fault = (place) => (place === 'event' ? 'replay' : undefined)
    fixture.server.put(thing('a'))
    fixture.server.put(thing('a', 'blue'))
    fixture.server.remove('a')
    fixture.server.put(thing('b'))
    await fixture.clock.advance(0)
    expect(describeChanges(fixture.changes)).toEqual([
      'added a',
      'updated a',
      'deleted a',
      'added b',
    ])
  })

  it('does not return to the version of a replayed event', async () => {
    const versions: (string | undefined)[] = []
    const at = (name: string, resourceVersion: string): Thing => ({
      metadata: { name, uid: name, resourceVersion },
    })
    const fixture = new InformerFixture({
      source: {
        list: () => Promise.resolve({ items: [], resourceVersion: '3' }),
        async *watch(options, signal) {
          versions.push(options.resourceVersion)
          if (versions.length > 1)
            await new Promise((done) => signal.addEventListener('abort', done))
          else {
            yield { type: 'ADDED', object: at('a', '5') }
            yield { type: 'ADDED', object: at('b', '9') }
            yield { type: 'ADDED', object: at('a', '5') }
          }
        },
      },
    })
    await fixture.start()
    expect(versions).toEqual(['3', '9'])
    expect(describeChanges(fixture.changes)).toEqual(['added a', 'added b'])
  })

  it('survives an invalid object', async () => {
    let lists = 0
    const fixture = new InformerFixture({
      source: {
        list: () => {
          lists += 1
          return Promise.resolve({ items: [thing('a')], resourceVersion: '1' })
        },
        async *watch(_options, signal) {
          if (lists === 1) yield { type: 'ADDED', object: {} as Thing }
          await new Promise((done) => signal.addEventListener('abort', done))
        },
      },
    })
    await fixture.start()
    await fixture.clock.advance(1000)
    expect(lists).toBe(2)
    expect(fixture.cached()).toEqual(['a red'])
  })
})

describe('a stopped informer', () => {
  it('ends and leaves no timer', async () => {
    const fixture = new InformerFixture()
    const ended = fixture.informer.start(fixture.stop.signal)
    await fixture.clock.advance(0)
    fixture.stop.abort()
    await ended
    expect(fixture.clock.pending).toBe(0)
    fixture.server.put(thing('a'))
    await fixture.clock.advance(600_000)
    expect(fixture.changes).toEqual([])
  })

  it('ends during the back-off', async () => {
    const fixture = new InformerFixture()
    fixture.faulty('list', 503, 10)
    const ended = fixture.informer.start(fixture.stop.signal)
    await fixture.clock.advance(10_000)
    fixture.stop.abort()
    await ended
    expect(fixture.clock.pending).toBe(0)
  })

  it('does nothing if it is stopped before it starts', async () => {
    const fixture = new InformerFixture()
    fixture.stop.abort()
    await fixture.informer.start(fixture.stop.signal)
    expect(fixture.server.requests).toEqual([])
  })
})
