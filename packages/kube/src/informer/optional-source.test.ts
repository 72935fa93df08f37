import { afterEach, beforeEach, expect, it } from 'vitest'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import type { KubeObject } from '@machinist/core/objects/resource'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { Fault, FaultPlace } from './memory-list-watch.fixture.ts'
import { MemoryListWatch } from './memory-list-watch.fixture.ts'
import { Informer } from './informer.ts'
import { OptionalSource } from './optional-source.ts'

let stop: AbortController
let clock: VirtualClock
let server: MemoryListWatch
let source: OptionalSource<KubeObject>
let informer: Informer<KubeObject>

beforeEach(() => {
  stop = new AbortController()
  clock = new VirtualClock()
  server = new MemoryListWatch(clock)
  source = new OptionalSource(server, clock)
  informer = new Informer({
    resource: 'things',
    source,
    clock,
    random: { next: () => 0 },
    log: silentLogger,
    metrics: new Metrics(),
  })
})
afterEach(() => stop.abort())

it('a kind has no objects until it is served', async () => {
  let isServed = false
  server.fault = () => (isServed ? undefined : 404)
  void informer.start(stop.signal)
  await clock.advance(0)
  expect([informer.hasSynced, informer.size, source.isServed]).toEqual([true, 0, false])
  expect(source.isLost).toBe(false)

  await clock.advance(600_000)
  // Checked once a minute, without a watch.
  expect([server.count('list'), server.count('watch')]).toEqual([11, 0])

  server.put({ metadata: { name: 'b' } })
  server.put({ metadata: { name: 'a' } })
  isServed = true
  await clock.advance(70_000)
  expect([source.isServed, source.isLost]).toEqual([true, false])
  expect(
    informer
      .list()
      .map(({ metadata }) => metadata.name)
      .sort(),
  ).toEqual(['a', 'b'])
  server.put({ metadata: { name: 'c' } })
  await clock.advance(0)
  expect(informer.size).toBe(3)

  isServed = false
  server.compact()
  await clock.advance(1_200_000)
  expect([informer.size, source.isServed, source.isLost]).toEqual([0, false, true])

  isServed = true
  await clock.advance(70_000)
  expect([informer.size, source.isServed, source.isLost]).toEqual([3, true, false])
})

it.each<[FaultPlace, isLost: boolean]>([
  ['list', true],
  ['page', true],
  ['list', false],
])(
  'a kind counts as served, and as lost no longer, when its objects are here (each %s fails, lost %s)',
  async (place, isLost) => {
    for (let i = 0; i < 501; i++) server.put({ metadata: { name: `n${i}` } })
    let isServed = isLost
    let isSlow = false
    const isProbe = (): boolean => {
      const request = server.requests.at(-1)
      return request?.verb === 'list' && request.options.limit === 1
    }
    server.fault = (at): Fault | undefined => {
      if (!isServed && at !== 'event') return 404
      return isSlow && at === place && !isProbe() ? 503 : undefined
    }
    void informer.start(stop.signal)
    await clock.advance(0)
    isServed = false
    server.compact()
    await clock.advance(1_200_000)
    expect([informer.size, source.isServed, source.isLost]).toEqual([0, false, isLost])
    expect(source.wasServed).toBe(isLost)

    isServed = true
    isSlow = true
    await clock.advance(300_000)
    expect([informer.size, source.isServed, source.isLost]).toEqual([0, false, isLost])
    expect(source.wasServed).toBe(true)
    isSlow = false
    await clock.advance(70_000)
    expect([informer.size, source.isServed, source.isLost]).toEqual([501, true, false])
  },
)

it('a kind that disappears during a list is lost', async () => {
  for (let i = 0; i < 501; i++) server.put({ metadata: { name: `n${i}` } })
  let isServed = true
  server.fault = (at) => {
    isServed &&= at === 'list'
    return isServed ? undefined : 404
  }
  void informer.start(stop.signal)
  await clock.advance(70_000)
  expect([informer.size, source.isServed, source.isLost]).toEqual([0, false, true])
})
