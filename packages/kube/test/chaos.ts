import { getEventListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '@machinist/core/random'
import { between, seededRandom } from '@machinist/core/random'
import type { Change } from '../src/informer/change.ts'
import { ChaoticFaults } from '@machinist/testing/faulty-server/faults'
import { FaultyServer } from '@machinist/testing/faulty-server/faulty-server'
import type { TestNode } from '@machinist/testing/followed-server'
import { FollowedServer, node } from '@machinist/testing/followed-server'

export interface ChaosOptions {
  readonly seed: number
  readonly objects: number
  readonly changes: number
  /** Which share of a watch's lines goes wrong. */
  readonly lineFaults?: number
  /** Called between batches, with the number of changes so far. */
  readonly onProgress?: (changes: number) => void | Promise<void>
}

/** What is left when the storm is over. */
export interface Aftermath {
  readonly cached: ReadonlyMap<string, TestNode>
  readonly stored: ReadonlyMap<string, TestNode>
  /** What a subscriber that only follows the changes believes. */
  readonly believed: ReadonlyMap<string, TestNode>
  /** Changes that do not fit what was told before: an update of something unknown, a second `added`. */
  readonly contradictions: readonly string[]
  readonly faults: Readonly<Record<string, number>>
  readonly openWatches: number
  readonly openSockets: number
  readonly pendingTimers: number
  readonly abortListeners: number
}

const batch = 400
/** Whoever falls behind by more than this is told 410. */
const history = 4000

/** A server that fails in every way it can, while its objects change; and an informer that follows it. */
export async function weather(options: ChaosOptions): Promise<Aftermath> {
  const random = seededRandom(options.seed)
  const lines = options.lineFaults ?? 0.0008
  const plan = new ChaoticFaults(random, { requests: 0.04, lines })
  const server = await FaultyServer.start<TestNode, ChaoticFaults>({ plan })
  const writer = new Writer(server, random)
  for (let i = 0; i < options.objects; i++) writer.create()
  const following = new FollowedServer(server, { random: seededRandom(options.seed + 1) })
  const subscriber = new Subscriber(following)
  try {
    for (let done = 0; done < options.changes; done += batch) {
      for (let i = 0; i < batch; i++) writer.change()
      if (random.next() < 0.3) server.store.compact(history)
      if (random.next() < 0.1) server.bookmark()
      if (random.next() < 0.01) server.dropConnections()
      // Now and then the writer runs ahead; otherwise the informer gets the time it needs, but no more than a while.
      const waits = random.next() < 0.1 ? 0 : between(random, 1, 40)
      for (let i = 0; i < waits && !writer.isHeard(following); i++) {
        await pause(1)
        await following.clock.advance(4000)
      }
      await options.onProgress?.(done)
    }
    plan.enabled = false
    await following.inStep(1000)
    return aftermath(server, following, subscriber)
  } finally {
    await following.stop()
    await server.stop()
  }
}

function aftermath(
  server: FaultyServer<TestNode, ChaoticFaults>,
  following: FollowedServer,
  subscriber: Subscriber,
): Aftermath {
  return {
    cached: byName(following.informer.list()),
    stored: byName(server.store.snapshot().items),
    believed: subscriber.believed,
    contradictions: subscriber.contradictions,
    faults: server.plan.counts,
    openWatches: server.openWatches,
    openSockets: server.openSockets,
    pendingTimers: following.clock.pending,
    abortListeners: getEventListeners(following.signal, 'abort').length,
  }
}

const byName = (objects: readonly TestNode[]): Map<string, TestNode> =>
  new Map(objects.map((object) => [object.metadata.name, object]))

/** Makes changes at random, now and then to an object under the same name but with another life. */
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

  /** Whether the informer knows of the last change. */
  isHeard({ informer }: FollowedServer): boolean {
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

/** Believes what it is told, writes down what cannot be, and fails now and then as handlers do. */
class Subscriber {
  readonly believed = new Map<string, TestNode>()
  readonly contradictions: string[] = []
  #count = 0

  constructor(following: FollowedServer) {
    following.informer.subscribe((change) => {
      this.#hear(change)
      if (++this.#count % 1000 === 0) throw new Error('a handler broke')
    })
  }

  #hear(change: Change<TestNode>): void {
    const { type, object } = change
    const { name } = object.metadata
    if (this.believed.has(name) !== (type !== 'added')) this.contradictions.push(`${type} ${name}`)
    if (type === 'updated' && this.believed.get(name) !== change.before) {
      this.contradictions.push(`updated ${name} from a state that was not told`)
    }
    if (type === 'deleted') this.believed.delete(name)
    else this.believed.set(name, object)
  }
}
