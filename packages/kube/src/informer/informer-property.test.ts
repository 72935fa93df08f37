import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import { between, seededRandom } from '@machinist/core/random'
import type { KubeObject } from '@machinist/core/objects/resource'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { Fault, FaultPlace } from './memory-list-watch.fixture.ts'
import { MemoryListWatch } from './memory-list-watch.fixture.ts'
import type { Change, ChangeHandler } from './change.ts'
import { Informer } from './informer.ts'

interface Thing extends KubeObject {
  color: string
}

const faults: Record<FaultPlace, readonly Fault[]> = {
  list: ['cut', 'hang', 410, 429, 500, 503, 404],
  page: ['cut', 410, 503],
  watch: ['cut', 'end', 'silence', 'hang', 410, 429, 500, 503, 504, 401, 400],
  event: ['cut', 'end', 'silence', 'hang', 'replay', 'replay', 'replay', 410, 500],
}

/** Rebuilds the state from the changes, and rejects inconsistent changes. */
class Fold {
  readonly state = new Map<string, string>()
  readonly handle: ChangeHandler<Thing> = (change) => this.#take(change)

  #take(change: Change<Thing>): void {
    const { name, resourceVersion } = change.object.metadata
    const before = this.state.get(name)
    switch (change.type) {
      case 'added':
        if (before !== undefined) throw new Error(`${name} was added twice`)
        this.state.set(name, resourceVersion!)
        break
      case 'updated':
        if (change.before.metadata.resourceVersion !== before || resourceVersion === before) {
          throw new Error(`${name} was updated from a state it was not in`)
        }
        if (change.before.metadata.uid !== change.object.metadata.uid) {
          throw new Error(`${name} was updated into another object`)
        }
        this.state.set(name, resourceVersion!)
        break
      case 'deleted':
        if (before === undefined) throw new Error(`${name} was deleted twice`)
        this.state.delete(name)
        break
    }
  }
}

class Chaos {
  readonly clock = new VirtualClock()
  readonly server = new MemoryListWatch<Thing>(this.clock)
  readonly folds: Fold[] = []
  readonly contradictions: unknown[] = []
  readonly informer: Informer<Thing>
  readonly #random: Random

  constructor(seed: number) {
    this.#random = seededRandom(seed)
    const { clock, server } = this
    this.informer = new Informer<Thing>({
      resource: 'things',
      source: server,
      indexes: { color: (object) => [object.color] },
      clock,
      random: this.#random,
      log: silentLogger,
      metrics: new Metrics(),
    })
    this.informer.subscribe(() => {
      if (this.#chance(0.3)) throw new Error('a bad handler')
    })
    const pain = this.#random.next() * 0.5
    server.fault = (place) => (this.#chance(pain) ? this.#oneOf(faults[place]) : undefined)
  }

  async run(steps: number): Promise<void> {
    this.#subscribe()
    for (let i = 0; i < steps; i++) await this.#step()
    this.server.fault = () => undefined
    this.server.bookmarks = true
    // Long enough for the maximum back-off and a hanging watch.
    await this.clock.advance(15 * 60_000)
  }

  async #step(): Promise<void> {
    const name = `t${between(this.#random, 1, 12)}`
    const dice = this.#random.next()
    if (dice < 0.45) this.server.put({ metadata: { name }, color: this.#color() })
    else if (dice < 0.65) this.server.remove(name)
    else if (dice < 0.7) this.server.compact()
    else if (dice < 0.73) this.#subscribe()
    else if (dice < 0.76) this.server.bookmarks = this.#chance(0.7)
    else if (dice < 0.8) this.clock.jump(between(this.#random, -3600_000, 3600_000))
    else await this.clock.advance(this.#oneOf([0, 1, 700, 5000, 70_000, 400_000]))
  }

  #subscribe(): void {
    const fold = new Fold()
    this.folds.push(fold)
    this.informer.subscribe((change) => {
      try {
        return fold.handle(change)
      } catch (error) {
        this.contradictions.push(error)
      }
    })
  }

  #color(): string {
    return this.#oneOf(['red', 'green', 'blue'])
  }

  #chance(share: number): boolean {
    return this.#random.next() < share
  }

  #oneOf<V>(values: readonly V[]): V {
    return values[between(this.#random, 0, values.length - 1)]!
  }
}

const byName = (a: KubeObject, b: KubeObject): number =>
  a.metadata.name < b.metadata.name ? -1 : 1

describe('with random faults', () => {
  it('the cache and the changes converge to the state of the server', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const chaos = new Chaos(seed)
        const stop = new AbortController()
        const ended = chaos.informer.start(stop.signal)
        await chaos.run(120)

        const truth = chaos.server.state().sort(byName)
        expect(chaos.informer.list().sort(byName)).toEqual(truth)
        for (const color of ['red', 'green', 'blue']) {
          expect(chaos.informer.byIndex('color', color).sort(byName)).toEqual(
            truth.filter((object) => object.color === color),
          )
        }
        expect(chaos.contradictions).toEqual([])
        const versions = new Map(
          truth.map(({ metadata }) => [metadata.name, metadata.resourceVersion]),
        )
        for (const fold of chaos.folds) expect(fold.state).toEqual(versions)
        expect(chaos.informer.isConnected).toBe(true)

        stop.abort()
        await ended
        expect(chaos.clock.pending).toBe(0)
      }),
      { numRuns: 80 },
    )
  }, 60_000)
})

describe('ten thousand objects and a hundred thousand events', () => {
  it('cost one call of each function for each event, independent of the cache size', async () => {
    const clock = new VirtualClock()
    const server = new MemoryListWatch<Thing>(clock)
    const calls = { index: 0, transform: 0, handler: 0 }
    const informer = new Informer<Thing>({
      resource: 'things',
      source: server,
      indexes: {
        color(object) {
          calls.index += 1
          return [object.color]
        },
      },
      transform(object) {
        calls.transform += 1
        return object
      },
      clock,
      random: seededRandom(1),
      log: silentLogger,
      metrics: new Metrics(),
    })
    informer.subscribe(() => void (calls.handler += 1))
    for (let i = 0; i < 10_000; i++) server.put({ metadata: { name: `t${i}` }, color: 'red' })
    const stop = new AbortController()
    const ended = informer.start(stop.signal)
    await informer.synced()
    expect(calls).toEqual({ index: 10_000, transform: 10_000, handler: 10_000 })

    for (let i = 0; i < 100_000; i++) {
      server.put({ metadata: { name: `t${i % 10_000}` }, color: `c${i % 7}` })
    }
    await clock.advance(0)
    expect(calls).toEqual({ index: 110_000, transform: 110_000, handler: 110_000 })
    expect(informer.size).toBe(10_000)
    expect(informer.get('t9999')?.metadata.resourceVersion).toBe('110000')

    // A relist without changes calls no index, no transform and no handler.
    const lists = server.count('list')
    server.compact()
    let expired = 0
    server.fault = (place) => (place === 'watch' && expired++ === 0 ? 410 : undefined)
    await clock.advance(650_000)
    expect(server.count('list')).toBe(2 * lists)
    expect(calls).toEqual({ index: 110_000, transform: 110_000, handler: 110_000 })
    stop.abort()
    await ended
  }, 60_000)
})
