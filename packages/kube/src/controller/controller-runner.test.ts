import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sleep } from '@machinist/core/clock'
import { Stalled, Transient, Waiting } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { between, seededRandom } from '@machinist/core/random'
import type { KubeObject } from '@machinist/core/objects/resource'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { MemoryListWatch } from '../informer/memory-list-watch.fixture.ts'
import { Informer } from '../informer/informer.ts'
import { ControllerRunner } from './controller-runner.ts'
import type { Controller, ReconcileContext } from './controller.ts'
import { input } from './controller.ts'
import type { Outcome } from './outcome.ts'
import { requeueAfter, settled } from './outcome.ts'

interface Thing extends KubeObject {
  owner?: string
}

type Reconcile = (key: string, context: ReconcileContext) => Promise<Outcome>

class RunningThings {
  readonly clock = new VirtualClock()
  readonly server = new MemoryListWatch<Thing>(this.clock)
  readonly metrics = new Metrics()
  readonly lines: Record<string, unknown>[] = []
  readonly log: Logger = createLogger({
    clock: this.clock,
    level: 'debug',
    write: (line) => void this.lines.push(JSON.parse(line) as Record<string, unknown>),
  })
  readonly informer: Informer<Thing>
  readonly reconciled: { key: string; at: number }[] = []
  readonly stop = new AbortController()
  readonly #stopInformer = new AbortController()
  #ended: Promise<void> | undefined

  constructor() {
    const { clock, server, metrics, log } = this
    const random = { next: () => 0 }
    this.informer = new Informer({
      resource: 'things',
      source: server,
      clock,
      random,
      metrics,
      log,
    })
  }

  controller(reconcile: Reconcile, rest: Partial<Controller> = {}): Controller {
    return {
      name: 'render',
      inputs: [input({ resource: 'Thing', informer: this.informer })],
      outputs: ['Thing'],
      reconcile: (key, context) => {
        this.reconciled.push({ key, at: this.clock.elapsed() })
        return reconcile(key, context)
      },
      ...rest,
    }
  }

  async run(controller: Controller, stopGraceMs?: number): Promise<ControllerRunner> {
    const { clock, metrics, log } = this
    const runner = new ControllerRunner(controller, {
      clock,
      metrics,
      log,
      random: { next: () => 0 },
      ...(stopGraceMs !== undefined && { stopGraceMs }),
    })
    void this.informer.start(this.#stopInformer.signal)
    this.#ended = runner.run(this.stop.signal)
    await clock.advance(0)
    return runner
  }

  async end(): Promise<void> {
    this.stop.abort()
    await this.#ended
    this.#stopInformer.abort()
    await this.clock.advance(0)
  }

  keys(): string[] {
    return this.reconciled.map(({ key }) => key)
  }

  times(): number[] {
    return this.reconciled.map(({ at }) => at)
  }

  metric(name: string, result?: string): string | undefined {
    const labels = result === undefined ? '' : `,result="${result}"`
    const line = `${name}{controller="render"${labels}}`
    const found = this.metrics.text().split('\n')
    return found.find((text) => text.startsWith(`${line} `))?.slice(line.length + 1)
  }
}

const thing = (name: string, owner?: string): Thing => ({
  metadata: { name },
  ...(owner !== undefined && { owner }),
})

const isSettled: Reconcile = () => Promise.resolve(settled)

describe('a controller', () => {
  it('reconciles existing objects, then changes', async () => {
    const things = new RunningThings()
    things.server.put(thing('a'))
    await things.run(things.controller(isSettled))
    expect(things.keys()).toEqual(['a'])
    things.server.put(thing('b'))
    things.server.put(thing('a', 'x'))
    things.server.remove('b')
    await things.clock.advance(0)
    expect(things.keys()).toEqual(['a', 'b', 'a', 'b'])
    await things.end()
  })

  it('does not start before all inputs have synced', async () => {
    const things = new RunningThings()
    things.server.put(thing('a'))
    const slow = Promise.withResolvers<boolean>()
    const inputs = [
      input({ resource: 'Thing', informer: things.informer }),
      { resource: 'Slow', synced: () => slow.promise, subscribe: () => () => {} },
    ]
    await things.run(things.controller(isSettled, { inputs }))
    expect(things.informer.hasSynced).toBe(true)
    expect(things.keys()).toEqual([])
    slow.resolve(true)
    await things.clock.advance(0)
    expect(things.keys()).toEqual(['a'])
    await things.end()
  })

  it('stops immediately when it is stopped before the inputs have synced', async () => {
    const things = new RunningThings()
    const inputs = [
      { resource: 'Slow', synced: () => new Promise<boolean>(() => {}), subscribe: () => () => {} },
    ]
    const runner = await things.run(things.controller(isSettled, { inputs }))
    runner.enqueue('a')
    await things.end()
    expect(things.keys()).toEqual([])
  })

  it('never starts if an input was stopped before it synced', async () => {
    const things = new RunningThings()
    const inputs = [
      { resource: 'Gone', synced: () => Promise.resolve(false), subscribe: () => () => {} },
    ]
    const runner = await things.run(things.controller(isSettled, { inputs }))
    runner.enqueue('a')
    await things.clock.advance(1000)
    expect(things.keys()).toEqual([])
    await things.end()
  })

  it('maps a change to the affected keys', async () => {
    const things = new RunningThings()
    const inputs = [
      input({
        resource: 'Thing',
        informer: things.informer,
        keys: ({ object }) => (object.owner === undefined ? [] : object.owner.split('+')),
      }),
    ]
    await things.run(things.controller(isSettled, { inputs }))
    things.server.put(thing('a', 'x+y'))
    things.server.put(thing('b'))
    things.server.put(thing('c', 'x'))
    await things.clock.advance(0)
    expect(things.keys().sort()).toEqual(['x', 'x', 'y'])
    await things.end()
  })

  it('reconciles changes before initial objects', async () => {
    const things = new RunningThings()
    for (const name of ['a', 'b', 'c']) things.server.put(thing(name))
    const hold = Promise.withResolvers<void>()
    await things.run(
      things.controller(async (key) => {
        if (key === 'a') await hold.promise
        return settled
      }),
    )
    things.server.put(thing('new'))
    await things.clock.advance(0)
    hold.resolve()
    await things.clock.advance(0)
    expect(things.keys()).toEqual(['a', 'new', 'b', 'c'])
    await things.end()
  })

  it('accepts keys that no input triggers', async () => {
    const things = new RunningThings()
    const runner = await things.run(things.controller(isSettled))
    runner.enqueue('by hand')
    await things.clock.advance(0)
    expect(things.keys()).toEqual(['by hand'])
    await things.end()
  })

  it('passes a logger with controller, key and id to every reconcile', async () => {
    const things = new RunningThings()
    await things.run(
      things.controller((_key, { log }) => {
        log.info('here')
        return Promise.resolve(settled)
      }),
    )
    things.server.put(thing('a'))
    await things.clock.advance(0)
    expect(things.lines.find((line) => line['msg'] === 'here')).toMatchObject({
      controller: 'render',
      key: 'a',
      reconcileID: 'bbbbbbbb',
    })
    await things.end()
  })
})

describe('the result of a reconcile', () => {
  it('requeues after the requested time', async () => {
    const things = new RunningThings()
    const runner = await things.run(
      things.controller(() =>
        Promise.resolve(things.reconciled.length < 3 ? requeueAfter(60_000) : settled),
      ),
    )
    runner.enqueue('a')
    await things.clock.advance(600_000)
    expect(things.times()).toEqual([0, 60_000, 120_000])
    expect(things.metric('controller_runtime_reconcile_total', 'requeue_after')).toBe('2')
    expect(things.metric('controller_runtime_reconcile_total', 'success')).toBe('1')
    expect(things.metric('controller_runtime_reconcile_errors_total')).toBe('0')
    await things.end()
  })

  it('requeues Waiting without an error', async () => {
    const things = new RunningThings()
    const runner = await things.run(
      things.controller(() => {
        if (things.reconciled.length === 1) throw new Waiting('Draining', 'pods leave', 5000)
        return Promise.resolve(settled)
      }),
    )
    runner.enqueue('a')
    await things.clock.advance(60_000)
    expect(things.times()).toEqual([0, 5000])
    expect(things.metric('controller_runtime_reconcile_total', 'requeue_after')).toBe('1')
    expect(things.metric('controller_runtime_reconcile_errors_total')).toBe('0')
    expect(things.lines.filter((line) => line['level'] === 'error')).toEqual([])
    await things.end()
  })

  it('does not retry Stalled, and calls onStalled', async () => {
    const things = new RunningThings()
    const shown: string[] = []
    const runner = await things.run(
      things.controller(() => Promise.reject(new Stalled('BadConfig', 'no such profile')), {
        onStalled: (key, { reason }) => void shown.push(`${key} ${reason}`),
      }),
    )
    runner.enqueue('a')
    await things.clock.advance(3600_000)
    expect(things.times()).toEqual([0])
    expect(shown).toEqual(['a BadConfig'])
    expect(things.metric('controller_runtime_terminal_reconcile_errors_total')).toBe('1')
    expect(things.metric('controller_runtime_reconcile_errors_total')).toBe('1')
    expect(things.metric('controller_runtime_reconcile_total', 'error')).toBe('1')
    runner.enqueue('a')
    await things.clock.advance(0)
    expect(things.times()).toEqual([0, 3600_000])
    await things.end()
  })

  it('survives a failure of onStalled', async () => {
    const things = new RunningThings()
    const runner = await things.run(
      things.controller(() => Promise.reject(new Stalled('Bad', 'bad')), {
        onStalled: () => Promise.reject(new Error('cannot write the status')),
      }),
    )
    runner.enqueue('a')
    runner.enqueue('b')
    await things.clock.advance(0)
    expect(things.keys()).toEqual(['a', 'b'])
    expect(things.lines.some((line) => line['error'] === 'cannot write the status')).toBe(true)
    await things.end()
  })

  it.each([
    ['Transient', new Transient('Busy', 'try later'), '0'],
    ['any other error', new Error('who knows'), '0'],
    ['a bug', new TypeError('undefined is not a function'), '4'],
  ])('retries %s with back-off', async (_name, error, panics) => {
    const things = new RunningThings()
    const retries: number[] = []
    const runner = await things.run(
      things.controller((_key, context) => {
        retries.push(context.retries)
        return retries.length <= 4 ? Promise.reject(error) : Promise.resolve(settled)
      }),
    )
    runner.enqueue('a')
    await things.clock.advance(3600_000)
    expect(things.times()).toEqual([0, 5, 15, 35, 75])
    expect(retries).toEqual([0, 1, 2, 3, 4])
    expect(things.metric('controller_runtime_reconcile_errors_total')).toBe('4')
    expect(things.metric('controller_runtime_reconcile_panics_total')).toBe(panics)
    expect(things.metric('controller_runtime_terminal_reconcile_errors_total')).toBe('0')
    await things.end()
  })

  it('retries earlier if Transient requires it', async () => {
    const things = new RunningThings()
    const runner = await things.run(
      things.controller(() => {
        const withinMs = things.reconciled.length < 5 ? undefined : 50
        return Promise.reject(new Transient('Busy', 'try later', { withinMs }))
      }),
    )
    runner.enqueue('a')
    await things.clock.advance(180)
    expect(things.times()).toEqual([0, 5, 15, 35, 75, 125, 175])
    await things.end()
  })

  it('resets the back-off after a success', async () => {
    const things = new RunningThings()
    const runner = await things.run(
      things.controller(() =>
        [1, 2, 4].includes(things.reconciled.length)
          ? Promise.reject(new Error('no'))
          : Promise.resolve(settled),
      ),
    )
    runner.enqueue('a')
    await things.clock.advance(1000)
    runner.enqueue('a')
    await things.clock.advance(1000)
    expect(things.times()).toEqual([0, 5, 15, 1000, 1005])
    await things.end()
  })

  it('survives a reconcile that throws synchronously or returns an invalid outcome', async () => {
    const things = new RunningThings()
    const runner = await things.run(
      things.controller((key) => {
        if (key === 'throws') throw new Error('at once')
        return Promise.resolve(undefined as unknown as Outcome)
      }),
    )
    runner.enqueue('throws')
    runner.enqueue('nonsense')
    await things.clock.advance(1)
    expect(things.metric('controller_runtime_reconcile_errors_total')).toBe('2')
    await things.end()
  })

  it('fails when the reconcile exceeds its timeout', async () => {
    const things = new RunningThings()
    const runner = await things.run(
      things.controller(
        async (_key, { signal }) => {
          if (things.reconciled.length === 1) await sleep(things.clock, 3600_000, signal)
          return settled
        },
        { timeoutMs: 30_000 },
      ),
    )
    runner.enqueue('a')
    await things.clock.advance(60_000)
    expect(things.times()).toEqual([0, 30_005])
    expect(things.lines.map((line) => line['error'])).toContain(
      'the reconcile of a by render did not finish within 30 s',
    )
    await things.end()
  })
})

describe('workers', () => {
  it('process one key at a time by default', async () => {
    const things = new RunningThings()
    const runner = await things.run(
      things.controller(async () => {
        await sleep(things.clock, 100)
        return settled
      }),
    )
    for (const key of ['a', 'b', 'c']) runner.enqueue(key)
    await things.clock.advance(1000)
    expect(things.times()).toEqual([0, 100, 200])
    expect(things.metric('controller_runtime_max_concurrent_reconciles')).toBe('1')
    await things.end()
  })

  it('run concurrently, but never on the same key', async () => {
    const things = new RunningThings()
    const runner = await things.run(
      things.controller(
        async () => {
          await sleep(things.clock, 100)
          return settled
        },
        { workers: 3 },
      ),
    )
    for (const key of ['a', 'b']) runner.enqueue(key)
    await things.clock.advance(10)
    expect(things.metric('controller_runtime_active_workers')).toBe('2')
    runner.enqueue('a')
    await things.clock.advance(1000)
    expect(things.reconciled).toEqual([
      { key: 'a', at: 0 },
      { key: 'b', at: 0 },
      { key: 'a', at: 100 },
    ])
    expect(things.metric('controller_runtime_active_workers')).toBe('0')
    expect(things.metric('controller_runtime_reconcile_time_seconds_sum')).toMatch(/^0\.3/)
    expect(things.metric('controller_runtime_reconcile_time_seconds_count')).toBe('3')
    await things.end()
  })
})

describe('stopping', () => {
  it('lets running reconciles finish and starts no more', async () => {
    const things = new RunningThings()
    let finished = 0
    const runner = await things.run(
      things.controller(async () => {
        await sleep(things.clock, 5000)
        finished += 1
        return requeueAfter(10)
      }),
    )
    runner.enqueue('a')
    runner.enqueue('b')
    await things.clock.advance(0)
    const ended = things.end()
    await things.clock.advance(4999)
    expect(finished).toBe(0)
    await things.clock.advance(1)
    await ended
    expect(finished).toBe(1)
    expect(things.keys()).toEqual(['a'])
    expect(things.clock.pending).toBe(0)
  })

  it('aborts running reconciles after the grace period', async () => {
    const things = new RunningThings()
    const runner = await things.run(
      things.controller(async (_key, { signal }) => {
        await sleep(things.clock, 3600_000, signal)
        if (signal.aborted) throw new Error('gave up')
        return settled
      }),
      10_000,
    )
    runner.enqueue('a')
    await things.clock.advance(0)
    const ended = things.end()
    await things.clock.advance(9_999)
    expect(things.metric('controller_runtime_active_workers')).toBe('1')
    await things.clock.advance(1)
    await ended
    expect(things.metric('controller_runtime_active_workers')).toBe('0')
  })

  it('unsubscribes from the inputs', async () => {
    const things = new RunningThings()
    await things.run(things.controller(isSettled))
    await things.end()
    things.server.put(thing('late'))
    await things.clock.advance(1000)
    expect(things.keys()).toEqual([])
  })
})

describe('with random reconciles', () => {
  it('the last state of every object is reconciled, and no key concurrently', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const random = seededRandom(seed)
        const things = new RunningThings()
        const running = new Set<string>()
        const overlaps: string[] = []
        const done = new Map<string, string | undefined>()
        const reconcile: Reconcile = async (key) => {
          if (running.has(key)) overlaps.push(key)
          running.add(key)
          const version = things.informer.get(key)?.metadata.resourceVersion
          await sleep(things.clock, between(random, 0, 300))
          running.delete(key)
          const dice = random.next()
          if (dice < 0.2) throw new Error('transient')
          if (dice < 0.3) throw new Waiting('Because', 'of chance', 50)
          if (dice < 0.35) throw new TypeError('a mistake')
          done.set(key, version)
          return dice < 0.4 ? requeueAfter(100) : settled
        }
        await things.run(things.controller(reconcile, { workers: between(random, 1, 4) }))
        for (let i = 0; i < 60; i++) {
          const name = `t${between(random, 1, 5)}`
          if (random.next() < 0.7) things.server.put(thing(name))
          else things.server.remove(name)
          if (random.next() < 0.5) await things.clock.advance(between(random, 0, 200))
        }
        await things.clock.advance(200_000)
        expect(overlaps).toEqual([])
        const known = new Map(
          things.server.state().map(({ metadata }) => [metadata.name, metadata.resourceVersion]),
        )
        for (const [key, version] of done) expect(version).toBe(known.get(key))
        for (const key of known.keys()) expect(done.has(key)).toBe(true)
        await things.end()
      }),
      { numRuns: 60 },
    )
  })
})
