import { describe, expect, it } from 'vitest'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { Activity } from './activity.ts'
import { ControllerRunner } from './controller-runner.ts'
import type { Controller, Input } from './controller.ts'
import type { Outcome } from './outcome.ts'
import { requeueAfter, settled } from './outcome.ts'

/** A controller whose keys, sync and outcomes the test decides. */
class Stage {
  readonly clock = new VirtualClock()
  readonly activity = new Activity()
  readonly stop = new AbortController()
  readonly synced = Promise.withResolvers<boolean>()
  readonly reconciled: string[] = []
  enqueue: (key: string) => void = () => {}
  readonly #running: Promise<void>

  constructor(reconcile: (key: string) => Promise<Outcome> | Outcome = () => settled) {
    const input: Input = {
      resource: 'Thing',
      synced: () => this.synced.promise,
      subscribe: (enqueue) => {
        this.enqueue = (key) => enqueue(key, 0)
        return () => {}
      },
    }
    const controller: Controller = {
      name: 'tested',
      inputs: [input],
      outputs: [],
      reconcile: async (key) => {
        this.reconciled.push(key)
        return await reconcile(key)
      },
    }
    const tools = { log: silentLogger, metrics: new Metrics(), random: seededRandom(1) }
    const { clock, activity } = this
    this.#running = new ControllerRunner(controller, { ...tools, clock, activity }).run(
      this.stop.signal,
    )
  }

  /** Whether the activity is idle now. */
  async isIdle(withinMs?: number): Promise<boolean> {
    let idle = false
    void this.activity.idle(withinMs).then(() => (idle = true))
    await this.clock.advance(0)
    return idle
  }

  async end(): Promise<void> {
    this.stop.abort()
    await this.#running
  }
}

describe('the activity of controllers', () => {
  it('is idle only after the caches have synced and every key is reconciled', async () => {
    const gate = Promise.withResolvers<Outcome>()
    const stage = new Stage(() => gate.promise)
    stage.enqueue('a')
    expect(await stage.isIdle()).toBe(false)
    stage.synced.resolve(true)
    expect(await stage.isIdle()).toBe(false)
    expect(stage.reconciled).toEqual(['a'])
    gate.resolve(settled)
    expect(await stage.isIdle()).toBe(true)
    await stage.end()
  })

  it('is idle at once if there are no keys', async () => {
    const stage = new Stage()
    stage.synced.resolve(true)
    expect(await stage.isIdle()).toBe(true)
    await stage.end()
  })

  it('counts a key that was added while it was reconciled', async () => {
    const gates = [Promise.withResolvers<Outcome>(), Promise.withResolvers<Outcome>()]
    let round = 0
    const stage = new Stage(() => gates[round++]!.promise)
    stage.synced.resolve(true)
    stage.enqueue('a')
    await stage.clock.advance(0)
    stage.enqueue('a')
    gates[0]!.resolve(settled)
    expect(await stage.isIdle()).toBe(false)
    gates[1]!.resolve(settled)
    expect(await stage.isIdle()).toBe(true)
    expect(stage.reconciled).toEqual(['a', 'a'])
    await stage.end()
  })

  it('counts requeued keys only if they become ready in time', async () => {
    const stage = new Stage(() => (stage.reconciled.length === 1 ? requeueAfter(5000) : settled))
    stage.synced.resolve(true)
    stage.enqueue('a')
    await stage.clock.advance(0)
    expect(await stage.isIdle()).toBe(true)
    expect(await stage.isIdle(4999)).toBe(true)
    expect(await stage.isIdle(5000)).toBe(false)
    await stage.clock.advance(5000)
    expect(await stage.isIdle(5000)).toBe(true)
    expect(stage.reconciled).toEqual(['a', 'a'])
    await stage.end()
  })

  it('waits for every controller, and no longer for one that has stopped', async () => {
    const activity = new Activity()
    activity.join(() => true)
    const leave = activity.join(() => false)
    let isIdle = false
    const idle = activity.idle().then(() => (isIdle = true))
    activity.check()
    await Promise.resolve()
    expect(isIdle).toBe(false)
    leave()
    await idle
    expect(isIdle).toBe(true)
  })
})
