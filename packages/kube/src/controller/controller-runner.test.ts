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

class Stage {
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
    const stage = new Stage()
    stage.server.put(thing('a'))
    await stage.run(stage.controller(isSettled))
    expect(stage.keys()).toEqual(['a'])
    stage.server.put(thing('b'))
    stage.server.put(thing('a', 'x'))
    stage.server.remove('b')
    await stage.clock.advance(0)
    expect(stage.keys()).toEqual(['a', 'b', 'a', 'b'])
    await stage.end()
  })

  it('does not start before all inputs have synced', async () => {
    const stage = new Stage()
    stage.server.put(thing('a'))
    const slow = Promise.withResolvers<boolean>()
    const inputs = [
      input({ resource: 'Thing', informer: stage.informer }),
      { resource: 'Slow', synced: () => slow.promise, subscribe: () => () => {} },
    ]
    await stage.run(stage.controller(isSettled, { inputs }))
    expect(stage.informer.hasSynced).toBe(true)
    expect(stage.keys()).toEqual([])
    slow.resolve(true)
    await stage.clock.advance(0)
    expect(stage.keys()).toEqual(['a'])
    await stage.end()
  })

  it('stops immediately when it is stopped before the inputs have synced', async () => {
    const stage = new Stage()
    const inputs = [
      { resource: 'Slow', synced: () => new Promise<boolean>(() => {}), subscribe: () => () => {} },
    ]
    const runner = await stage.run(stage.controller(isSettled, { inputs }))
    runner.enqueue('a')
    await stage.end()
    expect(stage.keys()).toEqual([])
  })

  it('never starts if an input was stopped before it synced', async () => {
    const stage = new Stage()
    const inputs = [
      { resource: 'Gone', synced: () => Promise.resolve(false), subscribe: () => () => {} },
    ]
    const runner = await stage.run(stage.controller(isSettled, { inputs }))
    runner.enqueue('a')
    await stage.clock.advance(1000)
    expect(stage.keys()).toEqual([])
    await stage.end()
  })

  it('maps a change to the affected keys', async () => {
    const stage = new Stage()
    const inputs = [
      input({
        resource: 'Thing',
        informer: stage.informer,
        keys: ({ object }) => (object.owner === undefined ? [] : object.owner.split('+')),
      }),
    ]
    await stage.run(stage.controller(isSettled, { inputs }))
    stage.server.put(thing('a', 'x+y'))
    stage.server.put(thing('b'))
    stage.server.put(thing('c', 'x'))
    await stage.clock.advance(0)
    expect(stage.keys().sort()).toEqual(['x', 'x', 'y'])
    await stage.end()
  })

  it('reconciles changes before initial objects', async () => {
    const stage = new Stage()
    for (const name of ['a', 'b', 'c']) stage.server.put(thing(name))
    const hold = Promise.withResolvers<void>()
    await stage.run(
      stage.controller(async (key) => {
        if (key === 'a') await hold.promise
        return settled
      }),
    )
    stage.server.put(thing('new'))
    await stage.clock.advance(0)
    hold.resolve()
    await stage.clock.advance(0)
    expect(stage.keys()).toEqual(['a', 'new', 'b', 'c'])
    await stage.end()
  })

  it('accepts keys that no input triggers', async () => {
    const stage = new Stage()
    const runner = await stage.run(stage.controller(isSettled))
    runner.enqueue('by hand')
    await stage.clock.advance(0)
    expect(stage.keys()).toEqual(['by hand'])
    await stage.end()
  })

  it('passes a logger with controller, key and id to every reconcile', async () => {
    const stage = new Stage()
    await stage.run(
      stage.controller((_key, { log }) => {
        log.info('here')
        return Promise.resolve(settled)
      }),
    )
    stage.server.put(thing('a'))
    await stage.clock.advance(0)
    expect(stage.lines.find((line) => line['msg'] === 'here')).toMatchObject({
      controller: 'render',
      key: 'a',
      reconcileID: 'bbbbbbbb',
    })
    await stage.end()
  })
})

describe('the result of a reconcile', () => {
  it('requeues after the requested time', async () => {
    const stage = new Stage()
    const runner = await stage.run(
      stage.controller(() =>
        Promise.resolve(stage.reconciled.length < 3 ? requeueAfter(60_000) : settled),
      ),
    )
    runner.enqueue('a')
    await stage.clock.advance(600_000)
    expect(stage.times()).toEqual([0, 60_000, 120_000])
    expect(stage.metric('controller_runtime_reconcile_total', 'requeue_after')).toBe('2')
    expect(stage.metric('controller_runtime_reconcile_total', 'success')).toBe('1')
    expect(stage.metric('controller_runtime_reconcile_errors_total')).toBe('0')
    await stage.end()
  })

  it('requeues Waiting without an error', async () => {
    const stage = new Stage()
    const runner = await stage.run(
      stage.controller(() => {
        if (stage.reconciled.length === 1) throw new Waiting('Draining', 'pods leave', 5000)
        return Promise.resolve(settled)
      }),
    )
    runner.enqueue('a')
    await stage.clock.advance(60_000)
    expect(stage.times()).toEqual([0, 5000])
    expect(stage.metric('controller_runtime_reconcile_total', 'requeue_after')).toBe('1')
    expect(stage.metric('controller_runtime_reconcile_errors_total')).toBe('0')
    expect(stage.lines.filter((line) => line['level'] === 'error')).toEqual([])
    await stage.end()
  })

  it('does not retry Stalled, and calls onStalled', async () => {
    const stage = new Stage()
    const shown: string[] = []
    const runner = await stage.run(
      stage.controller(() => Promise.reject(new Stalled('BadConfig', 'no such profile')), {
        onStalled: (key, { reason }) => void shown.push(`${key} ${reason}`),
      }),
    )
    runner.enqueue('a')
    await stage.clock.advance(3600_000)
    expect(stage.times()).toEqual([0])
    expect(shown).toEqual(['a BadConfig'])
    expect(stage.metric('controller_runtime_terminal_reconcile_errors_total')).toBe('1')
    expect(stage.metric('controller_runtime_reconcile_errors_total')).toBe('1')
    expect(stage.metric('controller_runtime_reconcile_total', 'error')).toBe('1')
    runner.enqueue('a')
    await stage.clock.advance(0)
    expect(stage.times()).toEqual([0, 3600_000])
    await stage.end()
  })

  it('survives a failure of onStalled', async () => {
    const stage = new Stage()
    const runner = await stage.run(
      stage.controller(() => Promise.reject(new Stalled('Bad', 'bad')), {
        onStalled: () => Promise.reject(new Error('cannot write the status')),
      }),
    )
    runner.enqueue('a')
    runner.enqueue('b')
    await stage.clock.advance(0)
    expect(stage.keys()).toEqual(['a', 'b'])
    expect(stage.lines.some((line) => line['error'] === 'cannot write the status')).toBe(true)
    await stage.end()
  })

  it.each([
    ['Transient', new Transient('Busy', 'try later'), '0'],
    ['any other error', new Error('who knows'), '0'],
    ['a bug', new TypeError('undefined is not a function'), '4'],
  ])('retries %s with back-off', async (_name, error, panics) => {
    const stage = new Stage()
    const retries: number[] = []
    const runner = await stage.run(
      stage.controller((_key, context) => {
        retries.push(context.retries)
        return retries.length <= 4 ? Promise.reject(error) : Promise.resolve(settled)
      }),
    )
    runner.enqueue('a')
    await stage.clock.advance(3600_000)
    expect(stage.times()).toEqual([0, 5, 15, 35, 75])
    expect(retries).toEqual([0, 1, 2, 3, 4])
    expect(stage.metric('controller_runtime_reconcile_errors_total')).toBe('4')
    expect(stage.metric('controller_runtime_reconcile_panics_total')).toBe(panics)
    expect(stage.metric('controller_runtime_terminal_reconcile_errors_total')).toBe('0')
    await stage.end()
  })

  it('retries earlier if Transient requires it', async () => {
    const stage = new Stage()
    const runner = await stage.run(
      stage.controller(() => {
        const withinMs = stage.reconciled.length < 5 ? undefined : 50
        return Promise.reject(new Transient('Busy', 'try later', { withinMs }))
      }),
    )
    runner.enqueue('a')
    await stage.clock.advance(180)
    expect(stage.times()).toEqual([0, 5, 15, 35, 75, 125, 175])
    await stage.end()
  })

  it('resets the back-off after a success', async () => {
    const stage = new Stage()
    const runner = await stage.run(
      stage.controller(() =>
        [1, 2, 4].includes(stage.reconciled.length)
          ? Promise.reject(new Error('no'))
          : Promise.resolve(settled),
      ),
    )
    runner.enqueue('a')
    await stage.clock.advance(1000)
    runner.enqueue('a')
    await stage.clock.advance(1000)
    expect(stage.times()).toEqual([0, 5, 15, 1000, 1005])
    await stage.end()
  })

  it('survives a reconcile that throws synchronously or returns an invalid outcome', async () => {
    const stage = new Stage()
    const runner = await stage.run(
      stage.controller((key) => {
        if (key === 'throws') throw new Error('at once')
        return Promise.resolve(undefined as unknown as Outcome)
      }),
    )
    runner.enqueue('throws')
    runner.enqueue('nonsense')
    await stage.clock.advance(1)
    expect(stage.metric('controller_runtime_reconcile_errors_total')).toBe('2')
    await stage.end()
  })

  it('fails when the reconcile exceeds its timeout', async () => {
    const stage = new Stage()
    const runner = await stage.run(
      stage.controller(
        async (_key, { signal }) => {
          if (stage.reconciled.length === 1) await sleep(stage.clock, 3600_000, signal)
          return settled
        },
        { timeoutMs: 30_000 },
      ),
    )
    runner.enqueue('a')
    await stage.clock.advance(60_000)
    expect(stage.times()).toEqual([0, 30_005])
    expect(stage.lines.map((line) => line['error'])).toContain(
      'the reconcile of a by render did not finish within 30 s',
    )
    await stage.end()
  })
})

describe('workers', () => {
  it('process one key at a time by default', async () => {
    const stage = new Stage()
    const runner = await stage.run(
      stage.controller(async () => {
        await sleep(stage.clock, 100)
        return settled
      }),
    )
    for (const key of ['a', 'b', 'c']) runner.enqueue(key)
    await stage.clock.advance(1000)
    expect(stage.times()).toEqual([0, 100, 200])
    expect(stage.metric('controller_runtime_max_concurrent_reconciles')).toBe('1')
    await stage.end()
  })

  it('run concurrently, but never on the same key', async () => {
    const stage = new Stage()
    const runner = await stage.run(
      stage.controller(
        async () => {
          await sleep(stage.clock, 100)
          return settled
        },
        { workers: 3 },
      ),
    )
    for (const key of ['a', 'b']) runner.enqueue(key)
    await stage.clock.advance(10)
    expect(stage.metric('controller_runtime_active_workers')).toBe('2')
    runner.enqueue('a')
    await stage.clock.advance(1000)
    expect(stage.reconciled).toEqual([
      { key: 'a', at: 0 },
      { key: 'b', at: 0 },
      { key: 'a', at: 100 },
    ])
    expect(stage.metric('controller_runtime_active_workers')).toBe('0')
    expect(stage.metric('controller_runtime_reconcile_time_seconds_sum')).toMatch(/^0\.3/)
    expect(stage.metric('controller_runtime_reconcile_time_seconds_count')).toBe('3')
    await stage.end()
  })
})

describe('stopping', () => {
  it('lets running reconciles finish and starts no more', async () => {
    const stage = new Stage()
    let finished = 0
    const runner = await stage.run(
      stage.controller(async () => {
        await sleep(stage.clock, 5000)
        finished += 1
        return requeueAfter(10)
      }),
    )
    runner.enqueue('a')
    runner.enqueue('b')
    await stage.clock.advance(0)
    const ended = stage.end()
    await stage.clock.advance(4999)
    expect(finished).toBe(0)
    await stage.clock.advance(1)
    await ended
    expect(finished).toBe(1)
    expect(stage.keys()).toEqual(['a'])
    expect(stage.clock.pending).toBe(0)
  })

  it('aborts running reconciles after the grace period', async () => {
    const stage = new Stage()
    const runner = await stage.run(
      stage.controller(async (_key, { signal }) => {
        await sleep(stage.clock, 3600_000, signal)
        if (signal.aborted) throw new Error('gave up')
        return settled
      }),
      10_000,
    )
    runner.enqueue('a')
    await stage.clock.advance(0)
    const ended = stage.end()
    await stage.clock.advance(9_999)
    expect(stage.metric('controller_runtime_active_workers')).toBe('1')
    await stage.clock.advance(1)
    await ended
    expect(stage.metric('controller_runtime_active_workers')).toBe('0')
  })

  it('unsubscribes from the inputs', async () => {
    const stage = new Stage()
    await stage.run(stage.controller(isSettled))
    await stage.end()
    stage.server.put(thing('late'))
    await stage.clock.advance(1000)
    expect(stage.keys()).toEqual([])
  })
})

describe('with random reconciles', () => {
  it('the last state of every object is reconciled, and no key concurrently', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const random = seededRandom(seed)
        const stage = new Stage()
        const running = new Set<string>()
        const overlaps: string[] = []
        const done = new Map<string, string | undefined>()
        const reconcile: Reconcile = async (key) => {
          if (running.has(key)) overlaps.push(key)
          running.add(key)
          const version = stage.informer.get(key)?.metadata.resourceVersion
          await sleep(stage.clock, between(random, 0, 300))
          running.delete(key)
          const dice = random.next()
          if (dice < 0.2) throw new Error('transient')
          if (dice < 0.3) throw new Waiting('Because', 'of chance', 50)
          if (dice < 0.35) throw new TypeError('a mistake')
          done.set(key, version)
          return dice < 0.4 ? requeueAfter(100) : settled
        }
        await stage.run(stage.controller(reconcile, { workers: between(random, 1, 4) }))
        for (let i = 0; i < 60; i++) {
          const name = `t${between(random, 1, 5)}`
          if (random.next() < 0.7) stage.server.put(thing(name))
          else stage.server.remove(name)
          if (random.next() < 0.5) await stage.clock.advance(between(random, 0, 200))
        }
        await stage.clock.advance(200_000)
        expect(overlaps).toEqual([])
        const known = new Map(
          stage.server.state().map(({ metadata }) => [metadata.name, metadata.resourceVersion]),
        )
        for (const [key, version] of done) expect(version).toBe(known.get(key))
        for (const key of known.keys()) expect(done.has(key)).toBe(true)
        await stage.end()
      }),
      { numRuns: 60 },
    )
  })
})
