import { afterEach, describe, expect, it } from 'vitest'
import type { RequestFault, StreamFault } from '@machinist/testing/servers/faulty-server/faults'
import { FaultyServer } from '@machinist/testing/servers/faulty-server/faulty-server'
import type { TestNode } from '@machinist/testing/servers/informer-harness'
import { InformerHarness, node } from '@machinist/testing/servers/informer-harness'
import { until } from '@machinist/testing/until'

/** One fault at a time over real sockets: the informer always recovers. */
describe('an informer recovers from', { timeout: 120_000 }, () => {
  const stops: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop()
  })

  const served = async (...names: string[]): Promise<FaultyServer<TestNode>> => {
    const server = await FaultyServer.start<TestNode>()
    stops.push(() => server.stop())
    for (const name of names) server.store.put(node(name))
    return server
  }

  const followed = (server: FaultyServer<TestNode>): InformerHarness => {
    const harness = new InformerHarness(server)
    stops.push(() => harness.stop())
    return harness
  }

  const lists = (server: FaultyServer<TestNode>): number =>
    server.requests.filter(({ verb }) => verb === 'list').length

  it('no fault: pages, then a watch from the version of the list', async () => {
    const server = await served()
    for (let i = 0; i < 1200; i++) server.store.put(node(`n${i}`))
    const harness = followed(server)
    await harness.waitForSync()
    server.store.put(node('n7', 'changed'))
    server.store.delete('n8')
    server.store.put(node('new'))
    await harness.waitForSync()

    expect(harness.changes.slice(0, 1200).every((text) => text.startsWith('added'))).toBe(true)
    expect(harness.changes.slice(1200)).toEqual(['updated n7', 'deleted n8', 'added new'])
    expect(harness.informer.get('n7')?.spec).toEqual({ text: 'changed' })
    expect(server.requests.map(({ verb, query }) => [verb, query.get('limit')])).toEqual([
      ['list', '500'],
      ['list', '500'],
      ['list', '500'],
      ['watch', null],
    ])
    expect(server.requests.at(-1)?.query.get('resourceVersion')).toBe('1300')
    expect(server.requests.at(-1)?.query.get('allowWatchBookmarks')).toBe('true')
  })

  it.each<[string, RequestFault, number]>([
    ['503 storms', { kind: 'status', code: 503 }, 5],
    ['500s', { kind: 'status', code: 500 }, 3],
    ['410 for a whole list', { kind: 'status', code: 410, reason: 'Expired' }, 2],
    ['403 while a role is missing', { kind: 'status', code: 403, reason: 'Forbidden' }, 3],
    ['resets before the answer', { kind: 'reset' }, 3],
    ['truncated responses', { kind: 'half-body' }, 3],
    ['the login page of a proxy', { kind: 'html' }, 2],
    ['bytes that are not UTF-8', { kind: 'bad-utf8' }, 2],
    ['silence', { kind: 'silence' }, 1],
  ])('%s on lists, with a retry', async (_, fault, times) => {
    const server = await served('a', 'b')
    server.plan.onRequest('list', fault, times)
    const harness = followed(server)
    await harness.waitForSync(500)
    expect(harness.changes).toEqual(['added a', 'added b'])
    expect(lists(server)).toBe(times + 1)
  })

  it.each<[string, RequestFault, number]>([
    ['503 storms', { kind: 'status', code: 503 }, 5],
    ['410', { kind: 'status', code: 410, reason: 'Expired' }, 2],
    ['401 with an outdated token', { kind: 'status', code: 401, reason: 'Unauthorized' }, 2],
    ['resets before the answer', { kind: 'reset' }, 3],
    ['the login page of a proxy', { kind: 'html' }, 2],
    ['silence', { kind: 'silence' }, 1],
  ])('%s on watches, without a lost event', async (_, fault, times) => {
    const server = await served('a', 'b')
    const harness = followed(server)
    await harness.waitForSync()
    server.plan.onRequest('watch', fault, times)
    server.disturb({ kind: 'reset' })
    await until('the watch is gone', () => server.openWatches === 0)
    server.store.put(node('c'))
    server.store.delete('a')
    await harness.waitForSync(500)
    expect(harness.changes.sort()).toEqual(['added a', 'added b', 'added c', 'deleted a'])
    expect(server.plan.played).toBe(true)
  })

  it('410 between two pages, with a list without a limit', async () => {
    const server = await served()
    for (let i = 0; i < 1200; i++) server.store.put(node(`n${i}`))
    server.plan.passRequests('list', 1)
    server.plan.onRequest('list', { kind: 'status', code: 410, reason: 'Expired' })
    const harness = followed(server)
    await harness.waitForSync()
    expect(harness.changes).toHaveLength(1200)
    expect(server.requests.map(({ verb, query }) => [verb, query.get('limit')])).toEqual([
      ['list', '500'],
      ['list', '500'],
      ['list', null],
      ['watch', null],
    ])
  })

  it.each([
    ['503', { kind: 'status', code: 503, retryAfterSeconds: 40 }],
    ['429', { kind: 'status', code: 429, retryAfterSeconds: 40 }],
  ] as const)('%s with a Retry-After, and waits that long', async (_, fault) => {
    const server = await served('a')
    server.plan.onRequest('list', fault)
    const harness = followed(server)
    await until('the list was refused', () => server.requests.length === 1)
    await harness.runUntil('the informer retried', () => server.requests.length === 2, 1000)
    expect(harness.clock.elapsed()).toBeGreaterThanOrEqual(40_000)
    await harness.waitForSync()
    expect(harness.changes).toEqual(['added a'])
  })

  it('an unavailable server, without a tight loop', async () => {
    const server = await served('a')
    server.plan.onRequest('list', { kind: 'reset' }, 1000)
    const harness = followed(server)
    await harness.runUntil('ten minutes passed', () => harness.clock.elapsed() >= 600_000, 1000)
    // 0.8 s, doubling up to 30 s, with jitter up to a factor of two.
    expect(lists(server)).toBeGreaterThanOrEqual(10)
    expect(lists(server)).toBeLessThanOrEqual(30)
    expect(harness.informer.hasSynced).toBe(false)
  })

  it('410 during a watch, and receives the missed changes', async () => {
    const server = await served('a', 'b', 'c')
    const harness = followed(server)
    await harness.waitForSync()
    server.plan.onLine({ kind: 'expired' })
    server.store.put(node('a', 'changed'))
    server.store.delete('b')
    server.store.put(node('d'))
    server.store.compact()
    await harness.waitForSync()
    expect(harness.changes.slice(3).sort()).toEqual(['added d', 'deleted b', 'updated a'])
    expect(lists(server)).toBe(2)
  })

  it('a version that was compacted during a partition', async () => {
    const server = await served('a', 'b')
    const harness = followed(server)
    await harness.waitForSync()
    server.dropConnections()
    await until('the watch is gone', () => server.openWatches === 0)
    server.store.put(node('a', 'changed'))
    server.store.delete('b')
    server.store.compact()
    await harness.waitForSync()
    expect(harness.changes.slice(2).sort()).toEqual(['deleted b', 'updated a'])
  })

  it('compaction after a bookmark, without a list', async () => {
    const server = await served('a')
    const harness = followed(server)
    await harness.waitForSync()
    server.store.skipRevisions(500)
    await harness.clock.advance(1000)
    server.bookmark()
    const now = harness.clock.now()
    await until('the bookmark was received', () => harness.informer.lastActivity === now)
    server.store.compact()
    server.disturb({ kind: 'end' })
    await harness.runUntil('it watches again', () => server.requests.length === 3)
    server.store.put(node('b'))
    await harness.waitForSync()
    expect(harness.changes).toEqual(['added a', 'added b'])
    expect(lists(server)).toBe(1)
    expect(server.requests.at(-1)?.query.get('resourceVersion')).toBe('601')
  })

  it.each<[string, StreamFault]>([
    ['a reset', { kind: 'reset' }],
    ['a reset in the middle of a line', { kind: 'reset-in-line' }],
    ['an early end of the stream', { kind: 'end' }],
    ['an end in the middle of a line', { kind: 'end-in-line' }],
    ['an error event', { kind: 'error', code: 500, reason: 'InternalError' }],
    ['silence on an open connection', { kind: 'silence' }],
    ['a line that is not JSON', { kind: 'garbage', text: '}{' }],
    ['a line that is not an event', { kind: 'garbage', text: '[1, 2]' }],
    ['an event without an object', { kind: 'garbage', text: '{"type":"ADDED"}' }],
    [
      'an object without a name',
      { kind: 'garbage', text: '{"type":"ADDED","object":{"metadata":{}}}' },
    ],
    [
      'an object without a version',
      { kind: 'garbage', text: '{"type":"ADDED","object":{"metadata":{"name":"x"}}}' },
    ],
    [
      'a bookmark without a version',
      { kind: 'garbage', text: '{"type":"BOOKMARK","object":{"metadata":{}}}' },
    ],
    ['a deeply nested line', { kind: 'garbage', text: '['.repeat(200_000) }],
    ['bytes that are not UTF-8', { kind: 'bad-utf8' }],
    ['a byte at a time', { kind: 'trickle' }],
    ['every event twice', { kind: 'twice' }],
  ])('%s instead of an event, without a lost or wrong event', async (_, fault) => {
    const server = await served('a')
    const harness = followed(server)
    await harness.waitForSync()
    server.plan.onLine(fault).onLine({ kind: 'twice' })
    server.store.put(node('b', 'ünïcödé \u{1f44d}'))
    server.store.put(node('c'))
    await harness.waitForSync(500)
    server.plan.onLine({ kind: 'twice' })
    server.store.delete('b')
    await harness.waitForSync(500)
    expect(harness.changes).toEqual(['added a', 'added b', 'added c', 'deleted b'])
    expect(
      harness.informer
        .list()
        .map((object) => object.metadata.name)
        .sort(),
    ).toEqual(['a', 'c'])
    expect(server.plan.played).toBe(true)
  })

  it('silence, and closes the connection after two missing bookmarks', async () => {
    const server = await served('a')
    const harness = followed(server)
    await harness.waitForSync()
    const since = harness.clock.elapsed()
    server.disturb({ kind: 'silence' })
    server.store.put(node('b'))
    await harness.runUntil('it knows b', () => harness.informer.size === 2, 1000)
    expect(harness.clock.elapsed() - since).toBeGreaterThanOrEqual(120_000)
    expect(harness.clock.elapsed() - since).toBeLessThanOrEqual(200_000)
    await until('the dead connection is closed', () => server.openWatches === 1)
  })

  it('a line of five megabytes', async () => {
    const server = await served()
    const harness = followed(server)
    await harness.waitForSync()
    server.store.put(node('big', 'x'.repeat(5 << 20)))
    await harness.waitForSync()
    expect(harness.informer.get('big')?.spec?.text).toHaveLength(5 << 20)
    expect(lists(server)).toBe(1)
  })

  it('a line without an end', async () => {
    const server = await served('a')
    const harness = followed(server)
    await harness.waitForSync()
    server.plan.onLine({ kind: 'endless-line', bytes: 64 << 20 })
    server.store.put(node('b'))
    await harness.waitForSync(500)
    expect(harness.changes).toEqual(['added a', 'added b'])
    await until('the endless one is closed', () => server.openWatches === 1)
  })

  it('an event that is never complete, with a list', async () => {
    const server = await served('a')
    const harness = followed(server)
    await harness.waitForSync()
    for (let i = 0; i < 20; i++) server.plan.onLine({ kind: 'garbage', text: 'poison' })
    server.store.put(node('b'))
    await harness.runUntil('it knows b', () => harness.informer.size === 2, 1000)
    expect(server.plan.played).toBe(false)
    expect(harness.changes).toEqual(['added a', 'added b'])
  })

  it('late responses with an outdated state', async () => {
    const server = await served('a')
    const gate = Promise.withResolvers<void>()
    server.plan.onRequest('list', { kind: 'hold', until: gate.promise })
    const harness = followed(server)
    await until('the request was received', () => server.requests.length === 1)
    server.store.put(node('b'))
    server.store.delete('a')
    gate.resolve()
    await harness.waitForSync()
    expect(harness.changes).toEqual(['added b'])
  })

  it('handlers that throw and reject, and notifies the others', async () => {
    const server = await served('a')
    const harness = followed(server)
    harness.informer.subscribe(() => {
      throw new Error('a handler broke')
    })
    harness.informer.subscribe(() => Promise.reject(new Error('a handler broke later')))
    await harness.waitForSync()
    server.store.put(node('b'))
    await harness.waitForSync()
    expect(harness.changes).toEqual(['added a', 'added b'])
    expect(harness.metrics.text()).toContain(
      'machinist_informer_handler_errors_total{resource="nodes"} 4',
    )
  })

  it('a stop at any moment, without a leaked timer or connection', async () => {
    for (const moment of ['listing', 'watching', 'backing off'] as const) {
      const server = await served('a')
      if (moment === 'listing') server.plan.onRequest('list', { kind: 'silence' })
      if (moment === 'backing off') server.plan.onRequest('list', { kind: 'status', code: 503 }, 99)
      const harness = followed(server)
      if (moment === 'watching') await harness.waitForSync()
      else await until('the request was received', () => server.requests.length === 1)
      await harness.stop()
      expect(harness.clock.pending).toBe(0)
      expect(server.openSockets).toBe(0)
    }
  })
})
