import { afterEach, describe, expect, it } from 'vitest'
import type { Logger } from '@machinist/core/log'
import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import { seededRandom } from '@machinist/core/random'
import type { KubeObject } from '@machinist/core/resource'
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

/** `added a`, `updated a`, `deleted a`: what a stream of changes amounts to, for comparing. */
const told = (changes: readonly Change<Thing>[]): string[] =>
  changes.map((change) => `${change.type} ${change.object.metadata.name}`)

class World {
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
    worlds.push(this)
  }

  async start(): Promise<this> {
    void this.informer.start(this.stop.signal)
    await this.clock.advance(0)
    return this
  }

  /** Throws this fault at this place the next `times` times. */
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

const worlds: World[] = []
afterEach(() => {
  for (const world of worlds.splice(0)) world.stop.abort()
})

describe('an informer that starts', () => {
  it('has nothing to say before its first list', () => {
    const world = new World()
    expect(world.informer.hasSynced).toBe(false)
    expect(world.informer.isConnected).toBe(false)
    expect(world.informer.lastActivity).toBeUndefined()
    expect(world.informer.list()).toEqual([])
  })

  it('lists, then watches from the version of the list', async () => {
    const world = new World({ selection: { namespace: 'ns', labels: 'a=b', fields: 'c=d' } })
    world.server.put(thing('a'))
    world.server.put(thing('b'))
    await world.start()
    expect(world.server.requests.map((request) => [request.verb, request.options])).toEqual([
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
    expect(world.cached()).toEqual(['a red', 'b red'])
    expect(world.informer.isConnected).toBe(true)
    expect(world.informer.lastActivity).toBe(Date.parse('2026-01-01T00:00:00Z'))
  })

  it('asks for watches of 5 to 10 minutes, by chance', async () => {
    const world = await new World({ random: seededRandom(7) }).start()
    await world.clock.advance(24 * 3600_000)
    const times = world.server.requests.flatMap((request) =>
      request.verb === 'watch' ? [request.options.timeoutSeconds!] : [],
    )
    expect(times.length).toBeGreaterThan(140)
    expect(Math.min(...times)).toBeGreaterThanOrEqual(300)
    expect(Math.max(...times)).toBeLessThanOrEqual(600)
    expect(new Set(times).size).toBeGreaterThan(50)
  })

  it('takes long lists page by page', async () => {
    const world = new World()
    for (let i = 0; i < 1201; i++) world.server.put(thing(`t${i}`))
    await world.start()
    const lists = world.server.requests.filter((request) => request.verb === 'list')
    expect(lists.map(({ options }) => options.continue)).toEqual([
      undefined,
      '1201:500',
      '1201:1000',
    ])
    expect(world.informer.size).toBe(1201)
    expect(world.metric('machinist_informer_objects{resource="things"}')).toBe('1201')
  })

  it('says when it has synced, after the subscribers know', async () => {
    const world = new World()
    world.server.put(thing('a'))
    const order: string[] = []
    world.informer.subscribe((change) => void order.push(change.type))
    void world.informer.synced().then((done) => order.push(`synced ${done}`))
    await world.start()
    expect(order).toEqual(['added', 'synced true'])
    expect(world.changes[0]).toMatchObject({ type: 'added', initial: true })
    expect(await world.informer.synced()).toBe(true)
  })

  it('says so when it was stopped before it could sync', async () => {
    const world = new World()
    world.faulty('list', 'hang')
    await world.start()
    world.stop.abort()
    expect(await world.informer.synced()).toBe(false)
    expect(world.informer.hasSynced).toBe(false)
  })

  it('runs once only', async () => {
    const world = await new World().start()
    await expect(world.informer.start(world.stop.signal)).rejects.toThrow(
      'the informer for things runs already',
    )
  })

  it('waits for a kind that does not exist yet', async () => {
    const world = new World()
    world.faulty('list', 404, 3)
    await world.start()
    expect(world.informer.hasSynced).toBe(false)
    await world.clock.advance(10_000)
    expect(world.informer.hasSynced).toBe(true)
    expect(world.metric('machinist_informer_relists_total{resource="things",reason="start"}')).toBe(
      '1',
    )
  })

  it('gives up a list that is never answered, and tries again', async () => {
    const world = new World()
    world.faulty('list', 'hang')
    await world.start()
    await world.clock.advance(69_999)
    expect(world.server.count('list')).toBe(1)
    await world.clock.advance(1000)
    expect(world.server.count('list')).toBe(2)
    expect(world.informer.hasSynced).toBe(true)
  })

  it('does not follow a server that sends the same page for ever', async () => {
    const world = new World({
      source: {
        list: () => Promise.resolve({ items: [], resourceVersion: '1', continue: 'again' }),
        watch: () => {
          throw new Error('must not be reached')
        },
      },
    })
    await world.start()
    expect(world.informer.hasSynced).toBe(false)
    expect(world.lines.join('')).toContain(
      'the server sends the same page of a list again and again',
    )
  })
})

describe('an informer that follows', () => {
  it('tells of every change, in order', async () => {
    const world = await new World().start()
    world.server.put(thing('a'))
    world.server.put(thing('a', 'blue'))
    world.server.remove('a')
    world.server.put(thing('a', 'green'))
    await world.clock.advance(0)
    expect(told(world.changes)).toEqual(['added a', 'updated a', 'deleted a', 'added a'])
    expect(world.changes[0]).toMatchObject({ initial: false })
    expect(world.changes[1]).toMatchObject({
      object: { color: 'blue' },
      before: { color: 'red' },
    })
    expect(world.changes[2]).toMatchObject({ object: { color: 'blue' }, missed: false })
    expect(world.cached()).toEqual(['a green'])
    expect(world.metric('machinist_informer_objects{resource="things"}')).toBe('1')
  })

  it('keeps indexes', async () => {
    const world = new World({ indexes: { color: (object) => [object.color ?? ''] } })
    await world.start()
    world.server.put(thing('a', 'red'))
    world.server.put(thing('b', 'red'))
    world.server.put(thing('b', 'blue'))
    await world.clock.advance(0)
    expect(world.informer.byIndex('color', 'red').map((o) => o.metadata.name)).toEqual(['a'])
    expect(world.informer.byIndex('color', 'blue').map((o) => o.metadata.name)).toEqual(['b'])
  })

  it('outlives an index and a transform that fail', async () => {
    const world = new World({
      indexes: {
        bad: () => {
          throw new Error('index is broken')
        },
      },
      transform: () => {
        throw new Error('transform is broken')
      },
    })
    world.server.put(thing('a'))
    await world.start()
    expect(world.cached()).toEqual(['a red'])
    expect(world.informer.byIndex('bad', 'x')).toEqual([])
    expect(world.lines.join('')).toContain('index is broken')
    expect(world.lines.join('')).toContain('transform is broken')
  })

  it('drops managedFields and whatever the transform drops', async () => {
    const world = new World({
      transform: (object) => ({ metadata: object.metadata }),
    })
    const heavy = thing('a')
    heavy.metadata.managedFields = [{ manager: 'kubectl', fieldsV1: { 'f:spec': {} } }]
    world.server.put(heavy)
    await world.start()
    expect(world.informer.get('a')).toEqual({
      metadata: { name: 'a', uid: 'uid-1', resourceVersion: '1' },
    })
  })

  it('hands out objects that nobody can change', async () => {
    const world = new World()
    world.server.put({ metadata: { name: 'a', labels: { x: 'y' } } })
    await world.start()
    const object = world.informer.get('a') as Thing
    expect(() => void (object.color = 'blue')).toThrow(TypeError)
    expect(() => void (object.metadata.labels!['x'] = 'z')).toThrow(TypeError)
  })

  it('resumes a watch that ended in time from the last version seen, without a list', async () => {
    const world = await new World().start()
    world.server.put(thing('a'))
    await world.clock.advance(300_000)
    world.server.put(thing('b'))
    await world.clock.advance(0)
    expect(world.watches()).toEqual([
      { version: '0', at: 0 },
      { version: '1', at: 300_000 },
    ])
    expect(world.server.count('list')).toBe(1)
    expect(told(world.changes)).toEqual(['added a', 'added b'])
    expect(
      world.metric('machinist_informer_watch_restarts_total{resource="things",reason="timeout"}'),
    ).toBe('1')
  })

  it('learns newer versions from bookmarks, so that a quiet resource never expires', async () => {
    const clock = new VirtualClock()
    const versions: (string | undefined)[] = []
    const world = new World({
      clock,
      source: {
        list: () => Promise.resolve({ items: [], resourceVersion: '10' }),
        async *watch(options, signal) {
          versions.push(options.resourceVersion)
          if (versions.length > 1)
            await new Promise((done) => signal.addEventListener('abort', done))
          else {
            yield { type: 'BOOKMARK', resourceVersion: '4000' }
            // An older bookmark must not take us back.
            yield { type: 'BOOKMARK', resourceVersion: '12' }
          }
        },
      },
    })
    await world.start()
    expect(versions).toEqual(['10', '4000'])
  })

  it('keeps following while handlers throw and reject', async () => {
    const world = new World()
    world.informer.subscribe(() => {
      throw new Error('thrown by a handler')
    })
    world.informer.subscribe(() => Promise.reject(new Error('rejected by a handler')))
    await world.start()
    world.server.put(thing('a'))
    world.server.put(thing('b'))
    await world.clock.advance(0)
    expect(told(world.changes)).toEqual(['added a', 'added b'])
    expect(world.metric('machinist_informer_handler_errors_total{resource="things"}')).toBe('4')
    expect(world.lines.filter((line) => line.includes('thrown by a handler'))).toHaveLength(2)
    expect(world.lines.filter((line) => line.includes('rejected by a handler'))).toHaveLength(2)
  })

  it('records when the server was last heard', async () => {
    const world = await new World().start()
    await world.clock.advance(61_000)
    expect(world.informer.lastActivity).toBe(Date.parse('2026-01-01T00:01:00Z'))
    expect(world.metric('machinist_informer_last_event_timestamp_seconds{resource="things"}')).toBe(
      '1767225660',
    )
  })
})

describe('a late subscriber', () => {
  it('is told what is there, then what changes', async () => {
    const world = new World()
    world.server.put(thing('a'))
    await world.start()
    const late: Change<Thing>[] = []
    world.informer.subscribe((change) => void late.push(change))
    expect(late).toMatchObject([
      { type: 'added', initial: true, object: { metadata: { name: 'a' } } },
    ])
    world.server.put(thing('a', 'blue'))
    await world.clock.advance(0)
    expect(told(late)).toEqual(['added a', 'updated a'])
  })

  it('hears each object once when it comes in the middle of a list', async () => {
    const world = new World()
    const late: Change<Thing>[] = []
    let subscribed = false
    world.informer.subscribe(() => {
      if (subscribed) return
      subscribed = true
      world.informer.subscribe((change) => void late.push(change))
    })
    for (const name of ['a', 'b', 'c']) world.server.put(thing(name))
    await world.start()
    expect(told(late)).toEqual(['added a', 'added b', 'added c'])
  })

  it('hears nothing more once it has left, even within the same change', async () => {
    const world = new World()
    const heard: string[] = []
    let leave = (): void => {}
    world.informer.subscribe(() => leave())
    leave = world.informer.subscribe((change) => void heard.push(change.type))
    await world.start()
    world.server.put(thing('a'))
    await world.clock.advance(0)
    expect(heard).toEqual([])
  })

  it('may be the same function twice', async () => {
    const world = new World()
    const heard: string[] = []
    const handler = (change: Change<Thing>): void => void heard.push(change.type)
    const leave = world.informer.subscribe(handler)
    world.informer.subscribe(handler)
    await world.start()
    world.server.put(thing('a'))
    await world.clock.advance(0)
    leave()
    world.server.remove('a')
    await world.clock.advance(0)
    expect(heard).toEqual(['added', 'added', 'deleted'])
  })
})

describe('an informer in trouble', () => {
  it('lists again when its version has expired, and tells what it missed', async () => {
    const world = new World()
    for (const name of ['a', 'b', 'c']) world.server.put(thing(name))
    await world.start()
    world.changes.length = 0
    world.faulty('watch', 'cut', 3)
    await world.clock.advance(300_000)
    // The connection is down now; meanwhile history moves on and is forgotten.
    world.server.remove('a')
    world.server.put(thing('b', 'blue'))
    world.server.put(thing('d'))
    world.server.compact()
    await world.clock.advance(20_000)
    expect(told(world.changes)).toEqual(['deleted a', 'updated b', 'added d'])
    expect(world.changes[0]).toMatchObject({ missed: true, object: { color: 'red' } })
    expect(world.changes[2]).toMatchObject({ initial: false })
    expect(world.cached()).toEqual(['b blue', 'c red', 'd red'])
    expect(
      world.metric('machinist_informer_relists_total{resource="things",reason="expired"}'),
    ).toBe('1')
    expect(
      world.metric('machinist_informer_watch_restarts_total{resource="things",reason="expired"}'),
    ).toBe('1')
  })

  it('makes no noise about what has not changed', async () => {
    const world = new World()
    for (let i = 0; i < 50; i++) world.server.put(thing(`t${i}`))
    await world.start()
    const before = world.informer.list()
    world.changes.length = 0
    world.faulty('watch', 410)
    await world.clock.advance(310_000)
    expect(world.server.count('list')).toBe(2)
    expect(world.changes).toEqual([])
    const after = world.informer.list()
    expect(after.every((object, i) => object === before[i])).toBe(true)
  })

  it('tells the end of an object that was replaced by another of the same name', async () => {
    const world = new World()
    world.server.put(thing('a'))
    await world.start()
    world.faulty('watch', 410)
    await world.clock.advance(300_000)
    world.server.remove('a')
    world.server.put(thing('a', 'new'))
    await world.clock.advance(2000)
    expect(told(world.changes)).toEqual(['added a', 'deleted a', 'added a'])
    expect(world.changes[1]).toMatchObject({ missed: true, object: { metadata: { uid: 'uid-1' } } })
    expect(world.changes[2]).toMatchObject({ object: { metadata: { uid: 'uid-2' } } })
  })

  it('asks for everything at once when a list expires between two pages', async () => {
    const world = new World()
    for (let i = 0; i < 700; i++) world.server.put(thing(`t${i}`))
    world.faulty('page', 410)
    await world.start()
    const lists = world.server.requests.filter((request) => request.verb === 'list')
    expect(lists.map(({ options }) => options)).toEqual([
      { limit: 500 },
      { limit: 500, continue: '700:500' },
      {},
    ])
    expect(world.informer.size).toBe(700)
  })

  it('starts the list over when a later page fails', async () => {
    const world = new World()
    for (let i = 0; i < 700; i++) world.server.put(thing(`t${i}`))
    world.faulty('page', 503)
    await world.start()
    expect(world.informer.hasSynced).toBe(false)
    expect(world.changes).toEqual([])
    await world.clock.advance(1000)
    expect(world.informer.size).toBe(700)
  })

  it.each([
    ['cut', 'connection'],
    [429, 'too-many-requests'],
    [500, 'server-error'],
    [503, 'server-error'],
    [401, 'not-allowed'],
    [403, 'not-allowed'],
  ] as const)('resumes after %s without a list', async (fault, reason) => {
    const world = new World()
    world.server.put(thing('a'))
    world.faulty('event', fault)
    await world.start()
    world.server.put(thing('b'))
    await world.clock.advance(0)
    world.server.put(thing('c'))
    await world.clock.advance(800)
    expect(world.cached()).toEqual(['a red', 'b red', 'c red'])
    expect(world.server.count('list')).toBe(1)
    expect(world.watches().map(({ version }) => version)).toEqual(['1', '2'])
    expect(
      world.metric(`machinist_informer_watch_restarts_total{resource="things",reason="${reason}"}`),
    ).toBe('1')
  })

  it.each([
    [400, 'refused'],
    [404, 'refused'],
    [504, 'version-unknown'],
  ] as const)('lists again after %s', async (fault, reason) => {
    const world = new World()
    world.faulty('watch', fault)
    await world.start()
    await world.clock.advance(1000)
    expect(world.server.count('list')).toBe(2)
    expect(
      world.metric(`machinist_informer_relists_total{resource="things",reason="${reason}"}`),
    ).toBe('1')
  })

  it('stays away 800 ms, then twice as long, up to 30 s', async () => {
    const world = new World()
    world.faulty('watch', 'cut', 8)
    await world.start()
    await world.clock.advance(120_000)
    const at = world.watches().map((watch) => watch.at)
    expect(at.slice(0, 9).map((time, i) => time - (at[i - 1] ?? 0))).toEqual([
      0, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000,
    ])
  })

  it('starts over with short delays after two good minutes', async () => {
    const world = new World()
    world.faulty('watch', 'cut', 4)
    await world.start()
    await world.clock.advance(12_000)
    expect(world.server.count('watch')).toBe(5)
    await world.clock.advance(130_000)
    world.faulty('event', 'cut')
    world.server.put(thing('a'))
    await world.clock.advance(0)
    const before = world.server.count('watch')
    await world.clock.advance(799)
    expect(world.server.count('watch')).toBe(before)
    await world.clock.advance(1)
    expect(world.server.count('watch')).toBe(before + 1)
  })

  it('stays away as long as the server asks', async () => {
    const world = new World()
    world.server.retryAfterSeconds = 45
    world.faulty('list', 429)
    await world.start()
    await world.clock.advance(44_999)
    expect(world.server.count('list')).toBe(1)
    await world.clock.advance(1)
    expect(world.server.count('list')).toBe(2)
  })

  it('does not hammer a server that closes every watch at once', async () => {
    const world = new World()
    world.faulty('watch', 'end', 1000)
    await world.start()
    await world.clock.advance(60_000)
    expect(world.server.count('watch')).toBe(7)
    expect(
      world.metric(
        'machinist_informer_watch_restarts_total{resource="things",reason="short-watch"}',
      ),
    ).toBe('7')
  })

  it('does not hammer a server that accepts lists and expires every watch', async () => {
    const world = new World()
    world.faulty('watch', 410, 1000)
    await world.start()
    await world.clock.advance(60_000)
    expect(world.server.count('list')).toBe(7)
  })

  it('notices a connection that died without a word', async () => {
    const world = new World()
    world.faulty('event', 'silence')
    await world.start()
    world.server.put(thing('a'))
    await world.clock.advance(0)
    world.server.put(thing('b'))
    await world.clock.advance(149_999)
    expect(world.cached()).toEqual(['a red'])
    await world.clock.advance(1000)
    expect(world.cached()).toEqual(['a red', 'b red'])
    expect(world.server.count('list')).toBe(1)
  })

  it('takes over when a watch neither speaks nor ends, and its connection notices nothing', async () => {
    const world = new World()
    world.faulty('watch', 'hang')
    await world.start()
    world.server.put(thing('a'))
    await world.clock.advance(329_999)
    expect(world.cached()).toEqual([])
    await world.clock.advance(801)
    expect(world.cached()).toEqual(['a red'])
    expect(world.server.count('list')).toBe(1)
    expect(world.lines.join('')).toContain('a watch was not over after 330 s')
  })

  it('lives with a server that sends no bookmarks', async () => {
    const world = new World()
    world.server.bookmarks = false
    await world.start()
    await world.clock.advance(3600_000)
    world.server.put(thing('a'))
    await world.clock.advance(1000)
    expect(world.cached()).toEqual(['a red'])
    expect(world.server.count('list')).toBe(1)
  })

  it('says that it is not connected while it is not', async () => {
    const world = await new World().start()
    expect(world.informer.isConnected).toBe(true)
    world.faulty('watch', 503, 3)
    await world.clock.advance(300_000)
    expect(world.informer.isConnected).toBe(false)
    // The fourth try, at 5.6 s, opens a silent watch, which is believed after ten seconds.
    await world.clock.advance(15_599)
    expect(world.informer.isConnected).toBe(false)
    await world.clock.advance(1)
    expect(world.informer.isConnected).toBe(true)
    world.stop.abort()
    await world.clock.advance(0)
    expect(world.informer.isConnected).toBe(false)
  })

  it('ignores echoes of what it knows', async () => {
    const world = new World()
    await world.start()
    world.server.fault = (place) => (place === 'event' ? 'echo' : undefined)
    world.server.put(thing('a'))
    world.server.put(thing('a', 'blue'))
    world.server.remove('a')
    world.server.put(thing('b'))
    await world.clock.advance(0)
    expect(told(world.changes)).toEqual(['added a', 'updated a', 'deleted a', 'added b'])
  })

  it('does not fall back to the version of an echo', async () => {
    const versions: (string | undefined)[] = []
    const at = (name: string, resourceVersion: string): Thing => ({
      metadata: { name, uid: name, resourceVersion },
    })
    const world = new World({
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
    await world.start()
    expect(versions).toEqual(['3', '9'])
    expect(told(world.changes)).toEqual(['added a', 'added b'])
  })

  it('outlives an object that makes no sense', async () => {
    let lists = 0
    const world = new World({
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
    await world.start()
    await world.clock.advance(1000)
    expect(lists).toBe(2)
    expect(world.cached()).toEqual(['a red'])
  })
})

describe('an informer that is stopped', () => {
  it('ends, and leaves no timer behind', async () => {
    const world = new World()
    const ended = world.informer.start(world.stop.signal)
    await world.clock.advance(0)
    world.stop.abort()
    await ended
    expect(world.clock.pending).toBe(0)
    world.server.put(thing('a'))
    await world.clock.advance(600_000)
    expect(world.changes).toEqual([])
  })

  it('ends also while it stays away', async () => {
    const world = new World()
    world.faulty('list', 503, 10)
    const ended = world.informer.start(world.stop.signal)
    await world.clock.advance(10_000)
    world.stop.abort()
    await ended
    expect(world.clock.pending).toBe(0)
  })

  it('does nothing if it was stopped before it started', async () => {
    const world = new World()
    world.stop.abort()
    await world.informer.start(world.stop.signal)
    expect(world.server.requests).toEqual([])
  })
})
