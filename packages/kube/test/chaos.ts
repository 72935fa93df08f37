import { getEventListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '@machinist/core/random'
import { between, seededRandom } from '@machinist/core/random'
import { ChaoticFaults } from '@machinist/testing/servers/faulty-server/faults'
import { FaultyServer } from '@machinist/testing/servers/faulty-server/faulty-server'
import type { TestNode } from '@machinist/testing/servers/informer-harness'
import { InformerHarness, node } from '@machinist/testing/servers/informer-harness'
import type { Change } from '../src/informer/change.ts'

export interface ChaosOptions {
  readonly seed: number
  readonly objects: number
  readonly changes: number
  /** Rate of faults of watch lines. */
  readonly lineFaults?: number
  /** Called between batches with the number of changes. */
  readonly onProgress?: (changes: number) => void | Promise<void>
}

/** The state after the faults. */
export interface ChaosResult {
  readonly cached: ReadonlyMap<string, TestNode>
  readonly stored: ReadonlyMap<string, TestNode>
  /** The state that a subscriber derives from the changes. */
  readonly derived: ReadonlyMap<string, TestNode>
  /** Inconsistent changes: an update of an unknown object, a second `added`. */
  readonly contradictions: readonly string[]
  readonly faults: Readonly<Record<string, number>>
  readonly openWatches: number
  readonly openSockets: number
  readonly pendingTimers: number
  readonly abortListeners: number
}

const batch = 400
/** Watches that are further behind get 410. */
const history = 4000

/** Runs an informer against a server with random faults while its objects change. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const random = seededRandom(options.seed)
  const lines = options.lineFaults ?? 0.0008
  const plan = new ChaoticFaults(random, { requests: 0.04, lines })
  const server = await FaultyServer.start<TestNode, ChaoticFaults>({ plan })
  const writer = new Writer(server, random)
  for (let i = 0; i < options.objects; i++) writer.create()
  const harness = new InformerHarness(server, { random: seededRandom(options.seed + 1) })
  const subscriber = new Subscriber(harness)
  try {
    for (let done = 0; done < options.changes; done += batch) {
      for (let i = 0; i < batch; i++) writer.change()
      if (random.next() < 0.3) server.store.compact(history)
      if (random.next() < 0.1) server.bookmark()
      if (random.next() < 0.01) server.dropConnections()
      // Sometimes the writer runs ahead; otherwise the informer gets a limited time to catch up.
      const waits = random.next() < 0.1 ? 0 : between(random, 1, 40)
      for (let i = 0; i < waits && !writer.isReceived(harness); i++) {
        await pause(1)
        await harness.clock.advance(4000)
      }
      await options.onProgress?.(done)
    }
    plan.enabled = false
    await harness.waitForSync(1000)
    return collectResult(server, harness, subscriber)
  } finally {
    await harness.stop()
    await server.stop()
  }
}

function collectResult(
  server: FaultyServer<TestNode, ChaoticFaults>,
  harness: InformerHarness,
  subscriber: Subscriber,
): ChaosResult {
  return {
    cached: byName(harness.informer.list()),
    stored: byName(server.store.snapshot().items),
    derived: subscriber.derived,
    contradictions: subscriber.contradictions,
    faults: server.plan.counts,
    openWatches: server.openWatches,
    openSockets: server.openSockets,
    pendingTimers: harness.clock.pending,
    abortListeners: getEventListeners(harness.signal, 'abort').length,
  }
}

const byName = (objects: readonly TestNode[]): Map<string, TestNode> =>
  new Map(objects.map((object) => [object.metadata.name, object]))

/** Makes random changes; sometimes deletes and recreates an object with the same name. */
class Writer {
  readonly #server: FaultyServer<TestNode, ChaoticFaults>
  readonly #random: Random
  readonly #names: string[] = []
  #count = 0
  #last = ''

  constructor(server: FaultyServer<TestNode, ChaoticFaults>, random: Random) {
    this.#server = server
    this.#random = random
  }

  /** Whether the informer has received the last change. */
  isReceived({ informer }: InformerHarness): boolean {
    const version = (object: TestNode | undefined): unknown => object?.metadata.resourceVersion
    return version(informer.get(this.#last)) === version(this.#server.store.get(this.#last))
  }

  create(): void {
    const name = `n${this.#count++}`
    this.#names.push(name)
    this.#last = name
    this.#server.store.put(node(name, 'new'))
  }

  change(): void {
    const dice = this.#random.next()
    const at = between(this.#random, 0, this.#names.length - 1)
    const name = this.#names[at]
    if (name === undefined || dice < 0.05) return this.create()
    this.#last = name
    if (dice < 0.1) {
      this.#server.store.delete(name)
      this.#names[at] = this.#names.at(-1)!
      this.#names.pop()
      return
    }
    if (dice < 0.12) this.#server.store.delete(name)
    this.#server.store.put(node(name, `change ${this.#count++}`))
  }
}

/** Derives the state from the changes, records inconsistencies, and throws sometimes. */
class Subscriber {
  readonly derived = new Map<string, TestNode>()
  readonly contradictions: string[] = []
  #count = 0

  constructor(harness: InformerHarness) {
    harness.informer.subscribe((change) => {
      this.#apply(change)
      if (++this.#count % 1000 === 0) throw new Error('a handler broke')
    })
  }

  #apply(change: Change<TestNode>): void {
    const { type, object } = change
    const { name } = object.metadata
    if (this.derived.has(name) !== (type !== 'added')) this.contradictions.push(`${type} ${name}`)
    if (type === 'updated' && this.derived.get(name) !== change.before) {
      this.contradictions.push(`updated ${name} from an unknown state`)
    }
    if (type === 'deleted') this.derived.delete(name)
    else this.derived.set(name, object)
  }
}
