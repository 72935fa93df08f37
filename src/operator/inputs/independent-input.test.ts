import { describe, expect, it } from 'vitest'
import { MemoryListWatch } from '@machinist/kube/informer/memory-list-watch.fixture'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { Informer } from '@machinist/kube/informer/informer'
import { independentInput } from './independent-input.ts'

function followed(isForbidden: boolean) {
  const clock = new VirtualClock()
  const source = new MemoryListWatch(clock)
  if (isForbidden) source.fault = (place) => (place === 'list' ? 403 : undefined)
  const informer = new Informer({
    resource: 'things',
    source,
    clock,
    random: seededRandom(1),
    log: silentLogger,
    metrics: new Metrics(),
  })
  const enqueued: string[] = []
  const input = independentInput({ resource: 'Thing', informer, keys: () => ['the-key'], clock })
  return { clock, source, informer, enqueued, input }
}

describe('an independent input', () => {
  it('delays the start for a limited time, and enqueues its keys when it syncs later', async () => {
    const { clock, source, informer, enqueued, input } = followed(true)
    const leave = input.subscribe((key) => enqueued.push(key))
    const stop = new AbortController()
    const running = informer.start(stop.signal)
    let synced: boolean | undefined
    void input.synced().then((is) => (synced = is))
    await clock.advance(9000)
    expect(synced).toBeUndefined()
    await clock.advance(1000)
    expect(synced).toBe(true)
    expect(informer.hasSynced).toBe(false)
    expect(enqueued).toEqual([])

    // An empty list enqueues the key too.
    source.fault = () => undefined
    await clock.advance(300_000)
    expect(informer.hasSynced).toBe(true)
    expect(enqueued).toEqual(['the-key'])
    leave()
    stop.abort()
    await running
  })

  it('does not delay the start longer if the wall clock is set back', async () => {
    const { clock, informer, input } = followed(true)
    const stop = new AbortController()
    const running = informer.start(stop.signal)
    let synced: boolean | undefined
    void input.synced().then((is) => (synced = is))
    await clock.advance(1000)
    clock.jump(-3600_000)
    await clock.advance(9000)
    expect(synced).toBe(true)
    stop.abort()
    await running
  })

  it('is ready immediately if it syncs', async () => {
    const { informer, input, source } = followed(false)
    source.put({ metadata: { name: 'a' } })
    const stop = new AbortController()
    const running = informer.start(stop.signal)
    expect(await input.synced()).toBe(true)
    expect(informer.hasSynced).toBe(true)
    stop.abort()
    await running
  })

  it('does not enqueue after unsubscribing', async () => {
    const { informer, input } = followed(false)
    await informer.start(AbortSignal.abort())
    expect(await input.synced()).toBe(false)
  })
})
