import { VirtualClock } from '@machinist/core/virtual-clock'
import type { KubeObject, ObjectKey, Resource } from '@machinist/core/objects/resource'
import type { Random } from '@machinist/core/random'
import { seededRandom } from '@machinist/core/random'
import { resourcePath } from '@machinist/kube/client/path'
import type { Change } from './api/memory-api.ts'
import { MemoryApi } from './api/memory-api.ts'
import { Refused } from './api/refused.ts'
import { Trace } from './trace.ts'
import { SimulatedNetwork } from './network.ts'

/** The parts that all actors of one simulated cluster share. */
export class Cluster {
  readonly seed: number
  readonly clock = new VirtualClock()
  readonly random: Random
  readonly api: MemoryApi
  readonly network: SimulatedNetwork
  readonly trace: Trace
  /** Violated invariants. The first one ends the run. */
  readonly violations: string[] = []

  constructor(seed: number, keep?: number) {
    this.seed = seed
    this.random = seededRandom(seed)
    this.api = new MemoryApi(this.clock)
    this.trace = new Trace(this.clock, keep)
    this.network = new SimulatedNetwork(this.newRandom())
    this.api.follow((change) => this.#note(change))
  }

  newRandom(): Random {
    return seededRandom(Math.floor(this.random.next() * 2 ** 32))
  }

  violated(rule: string, what: string): void {
    this.trace.note('VIOLATED', `${rule}: ${what}`)
    this.violations.push(`${rule}: ${what}`)
  }

  get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): T | undefined {
    const { group, plural } = resource
    return this.api.find(`${group}/${plural}`, key.name, key.namespace) as T | undefined
  }

  list<T extends KubeObject>(resource: Resource<T>): T[] {
    return this.api.objects(`${resource.group}/${resource.plural}`) as unknown[] as T[]
  }

  /** Writes of actors that are not under test (users, kubelets, other controllers), without the simulated network. */
  create<T extends KubeObject>(actor: string, resource: Resource<T>, object: T): void {
    const path = resourcePath(resource, { namespace: object.metadata.namespace })
    this.api.handle({ method: 'POST', path, body: object }, actor)
  }

  patch(
    actor: string,
    resource: Resource,
    key: ObjectKey,
    body: object,
    subresource?: 'status',
  ): void {
    const path = resourcePath(resource, { ...key, ...(subresource && { subresource }) })
    const contentType = 'application/merge-patch+json'
    this.#unlessGone(() => this.api.handle({ method: 'PATCH', path, body, contentType }, actor))
  }

  remove(actor: string, resource: Resource, key: ObjectKey): void {
    const path = resourcePath(resource, key)
    const body = { gracePeriodSeconds: 0 }
    this.#unlessGone(() => this.api.handle({ method: 'DELETE', path, body }, actor))
  }

  #unlessGone(write: () => void): void {
    try {
      write()
    } catch (error) {
      if (!(error instanceof Refused) || error.status.code !== 404) throw error
    }
  }

  #note({ actor, type, resource, object, version }: Change): void {
    this.trace.note(actor, `${type} ${resource} ${object.metadata.name} @${version}`)
  }
}
