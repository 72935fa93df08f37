import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { createLogger, silentLogger } from '@machinist/core/log'
import type { KubeObject } from '@machinist/core/objects/resource'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { ConfigMaps, inDefault } from '../../test/store/config-maps.ts'
import { MemoryStore } from '../store/memory-store.ts'
import type { WatchQuery } from './list-options.ts'
import type { Scope } from './scope.ts'
import type { WatchView } from './view.ts'
import { plainView } from './view.ts'
import type { WatchCacheOptions } from './watch-cache.ts'
import { WatchCache } from './watch-cache.ts'
import type { Watch, WatchEnd, WatchSink } from './watcher.ts'

let clock: VirtualClock
let store: MemoryStore
let objects: ConfigMaps
let cache: WatchCache

beforeEach(async () => {
  clock = new VirtualClock()
  store = new MemoryStore({ clock, log: silentLogger })
  objects = new ConfigMaps(store)
  cache = newCache()
  await objects.put('a')
  await objects.put('b')
})

const newCache = (options: Partial<WatchCacheOptions> = {}): WatchCache =>
  new WatchCache({ store, clock, log: silentLogger, ...options })

const plain = plainView({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  listKind: 'ConfigMapList',
  builtIn: true,
})

/** A sink with limited capacity. */
class Reader implements WatchSink {
  readonly buffers: Buffer[] = []
  end_: WatchEnd | undefined
  dropped = false
  room = Infinity

  write(line: Buffer): boolean {
    this.buffers.push(line)
    this.room--
    return this.room > 0
  }

  end(why: WatchEnd): void {
    this.end_ = why
  }

  drop(): void {
    this.dropped = true
  }

  get lines(): string[] {
    return this.buffers.map(String)
  }

  /** `ADDED a@2`: a short form of lines. */
  get events(): string[] {
    return this.lines.map((line) => {
      const { type, object } = JSON.parse(line) as { type: string; object: KubeObject }
      return `${type} ${object.metadata.name ?? ''}@${object.metadata.resourceVersion}`
    })
  }
}

interface Watching extends Watch {
  readonly reader: Reader
}

function watch(
  query: WatchQuery = {},
  scope: Scope = inDefault,
  view: WatchView = plain,
): Watching {
  const reader = new Reader()
  const running = cache.watch(scope, query, view, reader)
  return { reader, resume: () => running.resume(), stop: () => running.stop() }
}

const labelled = ({ metadata }: KubeObject): boolean => metadata.labels?.['l'] === 'a'

describe('a watch', () => {
  it('has one JSON object per line', async () => {
    const { reader } = watch({ resourceVersion: '3' })
    await objects.put('c', 'a', { x: '1' })
    expect(reader.lines).toEqual([
      '{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c","namespace":"default","labels":{"l":"a"},"resourceVersion":"4"},"data":{"x":"1"}}}\n',
    ])
  })

  it.each<WatchQuery>([
    {},
    { resourceVersion: '0' },
    { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' },
    { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', resourceVersion: '2' },
  ])('of %j starts with existing objects', async (query) => {
    const { reader } = watch(query)
    expect(reader.events).toEqual(['ADDED a@2', 'ADDED b@3'])
    await objects.put('a', 'x')
    await objects.remove('b')
    expect(reader.events.slice(2)).toEqual(['MODIFIED a@4', 'DELETED b@5'])
  })

  it('marks the end of initial events for clients with bookmarks', () => {
    const { reader } = watch({ allowWatchBookmarks: true })
    expect(reader.lines[2]).toBe(
      '{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"3","creationTimestamp":null,"annotations":{"k8s.io/initial-events-end":"true","kubernetes.io/initial-events-list-blueprint":"eyJraW5kIjoiQ29uZmlnTWFwTGlzdCIsImFwaVZlcnNpb24iOiJ2MSIsIm1ldGFkYXRhIjp7fSwiaXRlbXMiOm51bGx9Cg=="}}}}\n',
    )
    expect(reader.lines).toHaveLength(3)
  })

  it('without initial events starts now', async () => {
    const { reader } = watch({ sendInitialEvents: false, resourceVersionMatch: 'NotOlderThan' })
    await objects.put('c')
    expect(reader.events).toEqual(['ADDED c@4'])
  })

  it('from a version sends past changes, then new ones', async () => {
    await objects.put('a', 'x')
    await objects.remove('b')
    const { reader } = watch({ resourceVersion: '2' })
    await objects.put('b')
    expect(reader.events).toEqual(['ADDED b@3', 'MODIFIED a@4', 'DELETED b@5', 'ADDED b@6'])
  })

  it('receives only changes of its scope', async () => {
    const one = watch({ resourceVersion: '3' }, `${inDefault}a`)
    const elsewhere = watch({ resourceVersion: '3' }, '/configmaps/other/')
    const everywhere = watch({ resourceVersion: '3' }, '/configmaps/')
    await objects.put('a', 'x')
    await objects.put('a-b')
    await store.write('/configmaps/other/a', '{"metadata":{"name":"o"}}', 0)
    expect(one.reader.events).toEqual(['MODIFIED a@4'])
    expect(elsewhere.reader.events).toEqual(['ADDED o@6'])
    expect(everywhere.reader.events).toEqual(['MODIFIED a@4', 'ADDED a-b@5', 'ADDED o@6'])
    expect(watch({ resourceVersion: '3' }, `${inDefault}a`).reader.events).toEqual(['MODIFIED a@4'])
  })

  it('with a selector sends added and deleted objects, with their last matching state', async () => {
    const { reader } = watch({ resourceVersion: '3', select: labelled })
    await objects.put('a', 'x')
    await objects.put('a', 'a')
    await objects.put('a', 'a', { x: '1' })
    await objects.put('a', 'x')
    await objects.put('a', 'x', { x: '1' })
    await objects.remove('b')
    await objects.remove('a')
    expect(reader.events).toEqual([
      'DELETED a@4',
      'ADDED a@5',
      'MODIFIED a@6',
      'DELETED a@7',
      'DELETED b@9',
    ])
    const left = JSON.parse(reader.lines[3]!) as { object: unknown }
    expect(left.object).toMatchObject({
      metadata: { labels: { l: 'a' }, resourceVersion: '7' },
      data: { x: '1' },
    })
    const late = watch({ resourceVersion: '3', select: labelled })
    expect(late.reader.lines).toEqual(reader.lines)
  })

  it('from an expired version gets a single ERROR', async () => {
    cache.close()
    cache = newCache({ windowChanges: 2 })
    for (let i = 0; i < 5; i++) await objects.put('a', `${i}`)
    const { reader } = watch({ resourceVersion: '3' })
    expect(reader.lines).toEqual([
      '{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 3 (6)","reason":"Expired","code":410}}\n',
    ])
    expect(reader.end_).toBe('refused')
    expect(watch({ resourceVersion: '6' }).reader.events).toEqual(['MODIFIED a@7', 'MODIFIED a@8'])
  })

  it('can go back as far as the window', async () => {
    cache.close()
    cache = newCache({ windowCharacters: 1000 })
    for (let i = 0; i < 5; i++) await objects.put('a', `${i}`, { x: 'y'.repeat(300) })
    expect(watch({ resourceVersion: '3' }).reader.end_).toBe('refused')
    expect(watch({ resourceVersion: '7' }).reader.events).toEqual(['MODIFIED a@8'])
  })

  it('resumes after a restart of the server', async () => {
    await objects.put('a', 'x')
    cache.close()
    cache = newCache()
    expect(watch({ resourceVersion: '2' }).reader.events).toEqual(['ADDED b@3', 'MODIFIED a@4'])
  })

  it('from a future version is silent until then', async () => {
    const { reader } = watch({ resourceVersion: '5' })
    await objects.put('a', '1')
    await objects.put('a', '2')
    await clock.advance(10_000)
    expect(reader.events).toEqual([])
    await objects.put('a', '3')
    expect(reader.events).toEqual(['MODIFIED a@6'])
  })

  it('with initial events of a future version waits for it, up to a limit', async () => {
    const query = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }
    const soon = watch({ ...query, resourceVersion: '4' })
    const never = watch({ ...query, resourceVersion: '1198' })
    const stopped = watch({ ...query, resourceVersion: '4' })
    stopped.stop()
    await clock.advance(1000)
    await objects.put('c')
    await clock.advance(2000)
    expect(soon.reader.events).toEqual(['ADDED a@2', 'ADDED b@3', 'ADDED c@4'])
    expect(never.reader.lines).toEqual([
      '{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Timeout: Too large resource version: 1198, current: 4","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1},"code":504}}\n',
    ])
    expect(never.reader.end_).toBe('refused')
    expect(stopped.reader.lines).toEqual([])
  })

  it('that starts during the delivery of a change receives it once', async () => {
    const late = new Reader()
    const lateWithAll = new Reader()
    const early: WatchSink = {
      write() {
        cache.watch(inDefault, { resourceVersion: '3' }, plain, late)
        cache.watch(inDefault, {}, plain, lateWithAll)
        return true
      },
      drop: () => {},
      end() {},
    }
    const first = cache.watch(inDefault, { resourceVersion: '3' }, plain, early)
    const written = [objects.put('c'), objects.put('d')]
    store.subscribe(() => first.stop())
    await Promise.all(written)
    expect(late.events).toEqual(['ADDED c@4', 'ADDED d@5'])
    expect(lateWithAll.events).toEqual(['ADDED a@2', 'ADDED b@3', 'ADDED c@4', 'ADDED d@5'])
  })

  it('with an invalid query is rejected before it starts', () => {
    expect(() => watch({ resourceVersionMatch: 'Exact' })).toThrow(
      'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    )
    expect(() => watch({ resourceVersion: 'abc' })).toThrow('invalid syntax')
    expect(clock.pending).toBe(1)
  })
})

describe('the timing of a watch', () => {
  it('has a bookmark every minute, and one shortly before the end', async () => {
    const { reader } = watch({
      resourceVersion: '3',
      allowWatchBookmarks: true,
      timeoutMs: 130_000,
    })
    await clock.advance(59_999)
    expect(reader.lines).toEqual([])
    await clock.advance(1)
    expect(reader.lines).toEqual([
      '{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"3","creationTimestamp":null}}}\n',
    ])
    await store.write('/secrets/default/a', '{"metadata":{}}', 0)
    await clock.advance(60_000)
    expect(reader.events).toEqual(['BOOKMARK @3', 'BOOKMARK @4'])
    await objects.put('c')
    await clock.advance(8000)
    expect(reader.events.slice(2)).toEqual(['ADDED c@5', 'BOOKMARK @5'])
    expect(reader.end_).toBeUndefined()
    await clock.advance(2000)
    expect(reader.end_).toBe('timeout')
    expect(reader.lines).toHaveLength(4)
  })

  it('has no bookmarks unless requested', async () => {
    const { reader } = watch({ resourceVersion: '3', timeoutMs: 300_000 })
    await clock.advance(300_000)
    expect(reader.lines).toEqual([])
    expect(reader.end_).toBe('timeout')
  })

  it('leaves no timers, however it ends', async () => {
    const before = clock.pending
    const query = { allowWatchBookmarks: true, timeoutMs: 300_000 }
    watch(query).stop()
    const cut = watch({ ...query, resourceVersion: '3' })
    cache.close()
    expect(cut.reader.end_).toBe('closed')
    expect(clock.pending).toBe(before)
    await objects.put('c')
    expect(cut.reader.lines).toEqual([])
  })
})

describe('the reader of a watch', () => {
  it('gets as much as it accepts, in order', async () => {
    const watching = watch({ allowWatchBookmarks: true })
    const { reader } = watching
    expect(reader.lines).toHaveLength(3)
    reader.room = 1
    for (const name of ['c', 'd', 'e']) await objects.put(name)
    expect(reader.events.slice(3)).toEqual(['ADDED c@4'])
    reader.room = 1
    watching.resume()
    expect(reader.events.slice(4)).toEqual(['ADDED d@5'])
    reader.room = Infinity
    watching.resume()
    await objects.put('f')
    expect(reader.events.slice(5)).toEqual(['ADDED e@6', 'ADDED f@7'])
  })

  it('gets initial events before later changes', async () => {
    const reader = new Reader()
    reader.room = 1
    const running = cache.watch(inDefault, { allowWatchBookmarks: true }, plain, reader)
    await objects.put('a', 'x')
    expect(reader.events).toEqual(['ADDED a@2'])
    reader.room = Infinity
    running.resume()
    expect(reader.events).toEqual(['ADDED a@2', 'ADDED b@3', 'BOOKMARK @3', 'MODIFIED a@4'])
  })

  it('is disconnected when too many changes wait', async () => {
    cache.close()
    cache = newCache({ maxQueuedChanges: 3 })
    const slow = watch({ resourceVersion: '3' })
    const quick = watch({ resourceVersion: '3' })
    slow.reader.room = 1
    for (let i = 0; i < 4; i++) await objects.put('a', `${i}`)
    expect(slow.reader.end_).toBeUndefined()
    await objects.put('a', '4')
    expect(slow.reader.end_).toBe('slow')
    slow.resume()
    expect(slow.reader.lines).toHaveLength(1)
    expect(quick.reader.lines).toHaveLength(5)
  })

  it('has limited time to read the rest of an ended watch', async () => {
    const [slow, quick] = [watch({ timeoutMs: 1000 }), watch({ timeoutMs: 1000 })]
    slow.reader.room = 1
    await objects.put('a', 'x')
    await clock.advance(1000)
    expect([slow.reader.end_, quick.reader.end_]).toEqual(['timeout', 'timeout'])
    await clock.advance(29_999)
    expect(slow.reader.dropped).toBe(false)
    await clock.advance(1)
    expect([slow.reader.dropped, quick.reader.dropped]).toEqual([true, false])
  })

  it('is disconnected when too many bytes wait', async () => {
    cache.close()
    cache = newCache({ maxQueuedBytes: 1000 })
    const { reader } = watch({ resourceVersion: '3' })
    reader.room = 1
    await objects.put('a', '1', { x: 'y'.repeat(1500) })
    await objects.put('a', '2', { x: 'y'.repeat(500) })
    expect(reader.end_).toBeUndefined()
    await objects.put('a', '3', { x: 'y'.repeat(500) })
    expect(reader.end_).toBe('slow')
  })

  it('that fails ends only its own watch', async () => {
    const logged: string[] = []
    cache.close()
    cache = newCache({ log: createLogger({ clock, write: (line) => logged.push(line) }) })
    const broken = watch({
      resourceVersion: '3',
      select: () => {
        throw new Error('no such label')
      },
    })
    const sound = watch({ resourceVersion: '3' })
    await objects.put('c')
    expect(broken.reader.end_).toBe('closed')
    expect(sound.reader.events).toEqual(['ADDED c@4'])
    expect(logged.join('')).toContain('no such label')
  })
})

describe('the encoding of a change', () => {
  it('is computed once and shared by all watches with the same view', async () => {
    let made = 0
    const counting: WatchView = {
      ...plain,
      object(object) {
        made++
        return plain.object(object)
      },
    }
    const scopes = [inDefault, '/configmaps/', `${inDefault}c`]
    const watching = Array.from({ length: 300 }, (_, i) =>
      watch({ resourceVersion: '3' }, scopes[i % 3], counting),
    )
    await objects.put('c')
    expect(made).toBe(1)
    const buffers = new Set(watching.map(({ reader }) => reader.buffers[0]))
    expect([...buffers].map(String)).toEqual([watching[0]!.reader.lines[0]])
  })

  it('is not computed without a watch', async () => {
    const touched: string[] = []
    const counting: WatchView = {
      ...plain,
      object(object) {
        touched.push(object.metadata.name)
        return '{}'
      },
    }
    const select = ({ metadata }: KubeObject): boolean => touched.push(metadata.name) > 0
    watch({ resourceVersion: '3', select }, `${inDefault}x`, counting)
    watch({ resourceVersion: '3', select }, '/secrets/default/', counting)
    await objects.put('c')
    expect(touched).toEqual([])
  })

  it('can differ for the first event of a watch', async () => {
    const rows: WatchView = { object: () => '"row"', bookmark: () => '"mark"' }
    const table: WatchView = { ...rows, first: { ...rows, object: () => '"columns and row"' } }
    const { reader } = watch({}, inDefault, table)
    await objects.put('c')
    expect(reader.lines).toEqual([
      '{"type":"ADDED","object":"columns and row"}\n',
      '{"type":"ADDED","object":"row"}\n',
      '{"type":"ADDED","object":"row"}\n',
    ])
  })
})

describe('a client that lists and watches', () => {
  it('always converges, for any changes and reading speed', async () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ put: fc.nat(5), label: fc.constantFrom('a', 'x') }) },
      { weight: 2, arbitrary: fc.record({ remove: fc.nat(5) }) },
      { weight: 1, arbitrary: fc.record({ read: fc.nat(4) }) },
      { weight: 1, arbitrary: fc.record({ begin: fc.boolean(), back: fc.nat(4) }) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        store = new MemoryStore({ clock, log: silentLogger })
        objects = new ConfigMaps(store)
        cache = newCache()
        await objects.put('0')
        const followers: Follower[] = []
        for (const step of steps) {
          if ('put' in step) await objects.put(`${step.put}`, step.label)
          else if ('remove' in step) await removeIfThere(`${step.remove}`)
          else if ('read' in step) for (const follower of followers) follower.read(step.read)
          else followers.push(await follow(step.begin, step.back))
        }
        const { items } = await cache.list(inDefault, { select: labelled })
        const expected = new Map(items.map(({ key, revision }) => [key, revision]))
        for (const follower of followers) {
          follower.read(Infinity)
          expect(follower.state).toEqual(expected)
        }
        cache.close()
        await store.close()
      }),
      { numRuns: 100 },
    )
  })

  async function removeIfThere(name: string): Promise<void> {
    if (store.get(inDefault + name)) await objects.remove(name)
  }

  interface Follower {
    readonly state: Map<string, number>
    read(lines: number): void
  }

  /** Follows the labelled objects, from an old list or from the start. */
  async function follow(fromList: boolean, back: number): Promise<Follower> {
    const revision = Math.max(store.revision - back, 2)
    const resourceVersion = fromList ? String(revision) : '0'
    const exactly = { resourceVersion, resourceVersionMatch: 'Exact', select: labelled }
    const listed = fromList ? (await cache.list(inDefault, exactly)).items : []
    const state = new Map(listed.map(({ key, revision }) => [key, revision]))
    const reader = new Reader()
    reader.room = 1
    const running = cache.watch(inDefault, { resourceVersion, select: labelled }, plain, reader)
    return {
      state,
      read(lines) {
        reader.room = lines
        if (lines > 0) running.resume()
        for (const line of reader.lines) apply(state, line)
        reader.buffers.length = 0
      },
    }
  }

  function apply(state: Map<string, number>, line: string): void {
    const { type, object } = JSON.parse(line) as { type: string; object: KubeObject }
    const key = inDefault + object.metadata.name
    if (type === 'DELETED') state.delete(key)
    else state.set(key, Number(object.metadata.resourceVersion))
  }
})
