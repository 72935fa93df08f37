import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Metrics } from '@machinist/core/metrics'
import { between, seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { Work } from './work-queue.ts'
import { WorkQueue } from './work-queue.ts'

const never = new AbortController().signal

class Bench {
  readonly clock = new VirtualClock()
  readonly metrics = new Metrics()
  readonly queue = new WorkQueue({
    name: 'render',
    clock: this.clock,
    random: { next: () => 0 },
    metrics: this.metrics,
  })

  /** Takes all ready keys without waiting and finishes each immediately. */
  async takeAll(): Promise<string[]> {
    const keys: string[] = []
    while (this.queue.depth > 0) {
      const { key } = (await this.queue.get(never))!
      keys.push(key)
      this.queue.done(key)
    }
    return keys
  }

  metric(line: string): string | undefined {
    const found = this.metrics.text().split('\n')
    return found.find((text) => text.startsWith(`${line} `))?.slice(line.length + 1)
  }
}

describe('adding', () => {
  it('serves keys in the order of arrival, each once', async () => {
    const bench = new Bench()
    for (const key of ['b', 'a', 'b', 'c', 'a']) bench.queue.add(key)
    expect(bench.queue.depth).toBe(3)
    expect(await bench.takeAll()).toEqual(['b', 'a', 'c'])
  })

  it('serves higher priorities first, and equal priorities in the order of arrival', async () => {
    const bench = new Bench()
    bench.queue.add('low-1', -100)
    bench.queue.add('normal-1')
    bench.queue.add('high', 10)
    bench.queue.add('low-2', -100)
    bench.queue.add('normal-2')
    expect(await bench.takeAll()).toEqual(['high', 'normal-1', 'normal-2', 'low-1', 'low-2'])
  })

  it('keeps the highest priority of a key', async () => {
    const bench = new Bench()
    bench.queue.add('a', -100)
    bench.queue.add('b')
    bench.queue.add('a', 5)
    bench.queue.add('a', -100)
    expect(await bench.queue.get(never)).toEqual({ key: 'a', priority: 5 })
  })

  it('serves waiting workers in the order of arrival', async () => {
    const bench = new Bench()
    const takers = [bench.queue.get(never), bench.queue.get(never)]
    bench.queue.add('a')
    bench.queue.add('b')
    expect(await Promise.all(takers)).toEqual([
      { key: 'a', priority: 0 },
      { key: 'b', priority: 0 },
    ])
  })
})

describe('a key in progress', () => {
  it('is not given to a second worker', async () => {
    const bench = new Bench()
    bench.queue.add('a')
    await bench.queue.get(never)
    bench.queue.add('a')
    bench.queue.add('a', 7)
    expect(bench.queue.depth).toBe(0)
    const second = bench.queue.get(never)
    bench.queue.done('a')
    expect(await second).toEqual({ key: 'a', priority: 7 })
  })

  it('returns only if it was added meanwhile', async () => {
    const bench = new Bench()
    bench.queue.add('a')
    await bench.queue.get(never)
    bench.queue.done('a')
    expect(bench.queue.depth).toBe(0)
  })

  it('does not overtake keys that were added earlier', async () => {
    const bench = new Bench()
    bench.queue.add('a')
    await bench.queue.get(never)
    bench.queue.add('b')
    bench.queue.add('a')
    bench.queue.done('a')
    expect(await bench.takeAll()).toEqual(['b', 'a'])
  })

  it('waits for the worker even after its delay', async () => {
    const bench = new Bench()
    bench.queue.add('a')
    await bench.queue.get(never)
    bench.queue.addAfter('a', 100)
    await bench.clock.advance(200)
    expect(bench.queue.depth).toBe(0)
    bench.queue.done('a')
    expect(await bench.takeAll()).toEqual(['a'])
  })

  it('ignores done for keys that are not in progress', () => {
    const bench = new Bench()
    bench.queue.done('a')
    bench.queue.add('a')
    bench.queue.done('a')
    expect(bench.queue.depth).toBe(1)
  })
})

describe('delays', () => {
  it('delay a key until its time', async () => {
    const bench = new Bench()
    bench.queue.addAfter('a', 100)
    await bench.clock.advance(99)
    expect(bench.queue.depth).toBe(0)
    await bench.clock.advance(1)
    expect(bench.queue.depth).toBe(1)
  })

  it('shrink to the earliest requested time, and never grow', async () => {
    const bench = new Bench()
    bench.queue.addAfter('a', 1000)
    bench.queue.addAfter('a', 100)
    bench.queue.addAfter('a', 5000)
    await bench.clock.advance(100)
    expect(await bench.takeAll()).toEqual(['a'])
    await bench.clock.advance(10_000)
    expect(bench.queue.depth).toBe(0)
  })

  it('end when the key is added without one, keeping the higher priority', async () => {
    const bench = new Bench()
    bench.queue.addAfter('a', 1000, 3)
    bench.queue.add('a')
    expect(await bench.queue.get(never)).toEqual({ key: 'a', priority: 3 })
  })

  it('do not delay ready keys', () => {
    const bench = new Bench()
    bench.queue.add('a')
    bench.queue.addAfter('a', 1000)
    expect(bench.queue.depth).toBe(1)
  })

  it('serve equal times in the order of arrival', async () => {
    const bench = new Bench()
    const keys = Array.from({ length: 20 }, (_, i) => `k${i}`)
    for (const key of keys) bench.queue.addAfter(key, 100)
    await bench.clock.advance(100)
    expect(await bench.takeAll()).toEqual(keys)
  })

  it('use one timer for all keys', async () => {
    const bench = new Bench()
    for (let i = 0; i < 1000; i++) bench.queue.addAfter(`k${i}`, 1000 - i)
    expect(bench.clock.pending).toBe(1)
    await bench.clock.advance(500)
    expect(bench.queue.depth).toBe(500)
    expect(bench.clock.pending).toBe(1)
    await bench.clock.advance(500)
    expect(bench.queue.depth).toBe(1000)
    expect(bench.clock.pending).toBe(0)
  })

  it('do not depend on the wall clock', async () => {
    const bench = new Bench()
    bench.queue.addAfter('a', 100)
    bench.clock.jump(-86_400_000)
    await bench.clock.advance(100)
    expect(bench.queue.depth).toBe(1)
  })

  it('survive a timer that fires too early, as timers of weeks do', async () => {
    const clock = new VirtualClock()
    const early = {
      now: () => clock.now(),
      elapsed: () => clock.elapsed(),
      after: (ms: number, task: () => void) => clock.after(Math.min(ms, 1000), task),
    }
    const queue = new WorkQueue({
      name: 'q',
      clock: early,
      random: { next: () => 0 },
      metrics: new Metrics(),
    })
    queue.addAfter('a', 2500)
    await clock.advance(2499)
    expect(queue.depth).toBe(0)
    await clock.advance(1)
    expect(queue.depth).toBe(1)
  })
})

describe('rate limits', () => {
  it('grow from 5 ms to 1000 s for each key', async () => {
    const { clock, queue } = new Bench()
    const stop = new AbortController()
    const at: number[] = [0]
    const worker = (async () => {
      for (let work; (work = await queue.get(stop.signal));) {
        at.push(clock.elapsed())
        queue.addRateLimited(work.key)
        queue.done(work.key)
      }
    })()
    queue.addRateLimited('a')
    await clock.advance(5_000_000)
    stop.abort()
    await worker
    expect(at.slice(1).map((time, i) => time - at[i]!)).toEqual([
      5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10_240, 20_480, 40_960, 81_920, 163_840,
      327_680, 655_360, 1_000_000, 1_000_000, 1_000_000,
    ])
  })

  it('never wait longer than 1000 s', async () => {
    const bench = new Bench()
    for (let i = 0; i < 100; i++) bench.queue.addRateLimited('a')
    await bench.takeAll()
    await bench.clock.advance(5)
    await bench.takeAll()
    bench.queue.addRateLimited('a')
    await bench.clock.advance(999_999)
    expect(bench.queue.depth).toBe(0)
    await bench.clock.advance(1)
    expect(bench.queue.depth).toBe(1)
  })

  it('are separate for each key and reset by forget', async () => {
    const bench = new Bench()
    for (let i = 0; i < 5; i++) bench.queue.addRateLimited('a')
    expect(bench.queue.retries('a')).toBe(5)
    expect(bench.queue.retries('b')).toBe(0)
    bench.queue.forget('a')
    expect(bench.queue.retries('a')).toBe(0)
    await bench.clock.advance(5)
    await bench.takeAll()
    bench.queue.addRateLimited('a')
    await bench.clock.advance(5)
    expect(bench.queue.depth).toBe(1)
  })
})

describe('waiting workers', () => {
  it('leave when their signal aborts, and the next worker gets the key', async () => {
    const bench = new Bench()
    const stop = new AbortController()
    const first = bench.queue.get(stop.signal)
    const second = bench.queue.get(never)
    stop.abort()
    expect(await first).toBeUndefined()
    bench.queue.add('a')
    expect(await second).toEqual({ key: 'a', priority: 0 })
    expect(await bench.queue.get(stop.signal)).toBeUndefined()
  })
})

describe('shutting down', () => {
  it('drops queued keys, lets work finish and accepts no more keys', async () => {
    const bench = new Bench()
    bench.queue.add('a')
    bench.queue.add('b')
    bench.queue.addAfter('c', 100)
    await bench.queue.get(never)
    const waiting = bench.queue.get(never)
    await waiting
    const late = bench.queue.get(never)
    let over = false
    const drained = bench.queue.shutDown().then(() => (over = true))
    expect(await late).toBeUndefined()
    bench.queue.add('d')
    bench.queue.done('a')
    await bench.clock.advance(1000)
    expect(over).toBe(false)
    bench.queue.done('b')
    await drained
    expect(await bench.queue.get(never)).toBeUndefined()
    expect(bench.clock.pending).toBe(0)
  })

  it('drains on request: ready keys are still served, delayed keys are not', async () => {
    const bench = new Bench()
    bench.queue.add('a')
    await bench.queue.get(never)
    bench.queue.add('a')
    bench.queue.add('b')
    bench.queue.addAfter('c', 10)
    const drained = bench.queue.shutDown({ drain: true })
    expect(await bench.queue.get(never)).toEqual({ key: 'b', priority: 0 })
    const again = bench.queue.get(never)
    const nothing = bench.queue.get(never)
    bench.queue.done('b')
    bench.queue.done('a')
    expect(await again).toEqual({ key: 'a', priority: 0 })
    expect(await nothing).toBeUndefined()
    bench.queue.done('a')
    await drained
    expect(await bench.queue.get(never)).toBeUndefined()
  })

  it('completes immediately when the queue is idle', async () => {
    const bench = new Bench()
    bench.queue.add('a')
    await bench.queue.shutDown()
    expect(bench.queue.depth).toBe(0)
    expect(bench.metric('workqueue_depth{name="render",controller="render",priority="0"}')).toBe(
      '0',
    )
  })
})

describe('metrics', () => {
  const labels = '{name="render",controller="render"}'
  const depth = (priority: number): string =>
    `workqueue_depth{name="render",controller="render",priority="${priority}"}`

  it('count ready keys by priority', async () => {
    const bench = new Bench()
    bench.queue.add('a')
    bench.queue.add('b', 5)
    bench.queue.addAfter('c', 100)
    expect(bench.metric(depth(0))).toBe('1')
    expect(bench.metric(depth(5))).toBe('1')
    bench.queue.add('a', 5)
    expect(bench.metric(depth(0))).toBe('0')
    expect(bench.metric(depth(5))).toBe('2')
    await bench.clock.advance(100)
    expect(bench.metric(depth(0))).toBe('1')
    await bench.takeAll()
    expect(bench.metric(depth(0))).toBe('0')
    expect(bench.metric(depth(5))).toBe('0')
    expect(bench.metric(`workqueue_adds_total${labels}`)).toBe('3')
    expect(bench.metric(`workqueue_retries_total${labels}`)).toBe('1')
  })

  it('measure waiting and processing time', async () => {
    const bench = new Bench()
    bench.queue.add('a')
    await bench.clock.advance(2000)
    await bench.queue.get(never)
    await bench.clock.advance(7000)
    expect(bench.metric(`workqueue_unfinished_work_seconds${labels}`)).toBe('5')
    expect(bench.metric(`workqueue_longest_running_processor_seconds${labels}`)).toBe('5')
    bench.queue.done('a')
    expect(bench.metric(`workqueue_queue_duration_seconds_sum${labels}`)).toBe('2')
    expect(bench.metric(`workqueue_work_duration_seconds_sum${labels}`)).toBe('7')
    expect(bench.metric(`workqueue_work_duration_seconds_count${labels}`)).toBe('1')
    expect(bench.metric(`workqueue_unfinished_work_seconds${labels}`)).toBe('0')
    expect(bench.metric(`workqueue_longest_running_processor_seconds${labels}`)).toBe('0')
    expect(bench.clock.pending).toBe(0)
  })

  it('sum the work in progress', async () => {
    const bench = new Bench()
    bench.queue.add('a')
    await bench.queue.get(never)
    await bench.clock.advance(4000)
    bench.queue.add('b')
    await bench.queue.get(never)
    await bench.clock.advance(1000)
    expect(bench.metric(`workqueue_unfinished_work_seconds${labels}`)).toBe('6')
    expect(bench.metric(`workqueue_longest_running_processor_seconds${labels}`)).toBe('5')
  })
})

describe('with random operations', () => {
  it('no key is lost, and none is processed concurrently', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const random = seededRandom(seed)
        const clock = new VirtualClock()
        const queue = new WorkQueue({ name: 'q', clock, random, metrics: new Metrics() })
        const stop = new AbortController()
        const working = new Set<string>()
        /** Keys that were added and not taken since. */
        const owed = new Set<string>()
        const twice: string[] = []
        const worker = async (): Promise<void> => {
          for (let work: Work | undefined; (work = await queue.get(stop.signal));) {
            const { key } = work
            if (working.has(key)) twice.push(key)
            working.add(key)
            owed.delete(key)
            await new Promise<void>((done) => clock.after(between(random, 0, 50), done))
            working.delete(key)
            if (random.next() < 0.3) {
              queue.addRateLimited(key)
              owed.add(key)
            } else queue.forget(key)
            queue.done(key)
          }
        }
        const workers = Array.from({ length: between(random, 1, 4) }, worker)
        for (let i = 0; i < 80; i++) {
          const key = `k${between(random, 1, 6)}`
          const priority = between(random, -1, 1)
          if (random.next() < 0.5) queue.add(key, priority)
          else queue.addAfter(key, between(random, 0, 300), priority)
          owed.add(key)
          if (random.next() < 0.5) await clock.advance(between(random, 0, 60))
        }
        await clock.advance(10_000_000)
        expect(twice).toEqual([])
        expect([...owed]).toEqual([])
        expect(clock.pending).toBe(0)
        stop.abort()
        await Promise.all(workers)
      }),
      { numRuns: 100 },
    )
  })
})
