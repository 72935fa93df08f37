import type { Logger } from '@machinist/core/log'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import { seededRandom } from '@machinist/core/random'
import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import { resource } from '@machinist/core/objects/resource'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { KubeClient } from '@machinist/kube/client/client'
import type { Connection } from '@machinist/kube/connection/connection'
import { fixedConnection } from '@machinist/kube/connection/connection'
import type { Change } from '@machinist/kube/informer/change'
import { Informer } from '@machinist/kube/informer/informer'
import { HttpTransport } from '@machinist/kube/transport/http-transport'
import { runUntil, until } from '../until.ts'
import type { FaultPlan } from './faulty-server/faults.ts'
import type { FaultyServer } from './faulty-server/faulty-server.ts'

export interface TestNode extends KubeObject {
  spec?: { text?: string }
}

export const testNodes: Resource<TestNode> = resource<TestNode>({
  group: '',
  version: 'v1',
  kind: 'Node',
  plural: 'nodes',
  namespaced: false,
})

export function node(name: string, text = ''): TestNode {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: { text } }
}

interface HarnessOptions {
  readonly connection?: Connection
  readonly clock?: VirtualClock
  readonly random?: Random
  readonly log?: Logger
}

/** An informer with client, transport and sockets that watches a faulty server on virtual time. */
export class InformerHarness {
  readonly clock: VirtualClock
  readonly metrics = new Metrics()
  readonly informer: Informer<TestNode>
  /** The first changes that the informer reported, as `added a`, `updated a`, `deleted a`. */
  readonly changes: string[] = []
  readonly #server: FaultyServer<TestNode, FaultPlan>
  readonly #transport: HttpTransport
  readonly #stop = new AbortController()
  readonly #running: Promise<void>

  constructor(server: FaultyServer<TestNode, FaultPlan>, options: HarnessOptions = {}) {
    this.#server = server
    this.clock = options.clock ?? new VirtualClock()
    const connection =
      options.connection ?? fixedConnection({ server: server.url, tls: {}, headers: {} })
    this.#transport = new HttpTransport({ connection, clock: this.clock, metrics: this.metrics })
    const client = new KubeClient({ transport: this.#transport, clock: this.clock })
    this.informer = new Informer({
      resource: 'nodes',
      source: client.listWatch(testNodes),
      clock: this.clock,
      random: options.random ?? seededRandom(1),
      log: options.log ?? silentLogger,
      metrics: this.metrics,
    })
    this.informer.subscribe((change) => this.#record(change))
    this.#running = this.informer.start(this.#stop.signal)
  }

  /** Aborts when the harness stops. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }

  /** Advances virtual time until the condition holds. */
  runUntil(description: string, condition: () => boolean, stepMs?: number): Promise<void> {
    return runUntil(this.clock, description, condition, stepMs)
  }

  /** Waits until the watch is open and the cache equals the state of the server. */
  async waitForSync(stepMs?: number): Promise<void> {
    const { store } = this.#server
    await this.runUntil(
      'the cache equals the state of the server',
      () => this.#server.openWatches === 1 && this.informer.hasSynced && this.#sameAs(store),
      stepMs,
    )
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
    this.#transport.close()
    await until('every connection is closed', () => this.#server.openSockets === 0)
  }

  #sameAs(store: FaultyServer<TestNode>['store']): boolean {
    if (store.size !== this.informer.size) return false
    return this.informer
      .list()
      .every(
        ({ metadata: { name, resourceVersion } }) =>
          store.get(name)?.metadata.resourceVersion === resourceVersion,
      )
  }

  #record(change: Change<TestNode>): void {
    if (this.changes.length < 10_000)
      this.changes.push(`${change.type} ${change.object.metadata.name}`)
  }
}
