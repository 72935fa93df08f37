import { afterEach, expect, it } from 'vitest'
import { MemoryListWatch } from '../../../test/support/memory-list-watch.ts'
import { silentLogger } from '../../base/log.ts'
import { Metrics } from '../../base/metrics.ts'
import { VirtualClock } from '../../base/virtual-clock.ts'
import { Informer } from './informer.ts'
import { OptionalSource } from './optional-source.ts'

const stop = new AbortController()
afterEach(() => stop.abort())

it('a kind that is not served has no objects, until it is', async () => {
  const clock = new VirtualClock()
  const server = new MemoryListWatch(clock)
  let isServed = false
  server.fault = () => (isServed ? undefined : 404)
  const source = new OptionalSource(server, clock)
  const informer = new Informer({
    resource: 'things',
    source,
    clock,
    random: { next: () => 0 },
    log: silentLogger,
    metrics: new Metrics(),
  })
  void informer.start(stop.signal)
  await clock.advance(0)
  expect([informer.hasSynced, informer.size, source.isServed]).toEqual([true, 0, false])
  expect(source.isLost).toBe(false)

  await clock.advance(600_000)
  // Once a minute, and never by a watch.
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
