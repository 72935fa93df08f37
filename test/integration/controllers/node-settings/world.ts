import type {
  ContainerRuntimeConfig,
  MachineConfig,
  MachineConfigPool,
} from '../../../../src/api/resources.ts'
import * as api from '../../../../src/api/resources.ts'
import { Stalled, Waiting } from '@machinist/core/errors'
import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import type { KubeObject, Resource } from '@machinist/core/resource'
import { keyOf } from '@machinist/core/resource'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { machineConfigIndexes } from '../../../../src/controllers/generated/caches.ts'
import { nodeSettingsController } from '../../../../src/controllers/node-settings/node-settings.ts'
import type { SettingsKind } from '../../../../src/controllers/node-settings/settings-kind.ts'
import type { Cache } from '../../../../src/controllers/render/caches.ts'
import { KubeClient } from '@machinist/kube/client'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { ConnectionFailure } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import { MemoryApi } from '../../../simulation/api/memory-api.ts'
import { MortalTransport } from '../drain/mortal-transport.ts'
import { controllerConfig, pool } from '../support/cluster-objects.ts'
import { directTransport } from './direct-transport.ts'

const maker = { version: '1.2.3', build: 'machinist-b' }
export const held = 'example.com/held'

/** What an object of the model says: a number, and 13 is wrong in every pool. */
export const wordOf = ({ spec }: Readonly<ContainerRuntimeConfig>): number =>
  spec.containerRuntimeConfig.pidsLimit ?? 0
export const badWord = 13

/** A cluster in memory in which ContainerRuntimeConfigs come to MachineConfigs that list their words. */
export class ModelWorld {
  readonly clock = new VirtualClock()
  readonly api = new MemoryApi(this.clock)
  readonly client = new KubeClient({
    transport: directTransport(this.api),
    clock: this.clock,
    random: seededRandom(1),
  })
  readonly #log = createLogger({ clock: this.clock, write: () => {}, level: 'error' })
  readonly metrics = new Metrics()
  /** The events, as `Warning SettingsFailed b: Error: …`. */
  readonly told: string[] = []
  /** What a cache that is behind shows. */
  #old = new Map<string, KubeObject[]>()

  objects(): ContainerRuntimeConfig[] {
    return this.#all(api.containerRuntimeConfigs)
  }
  pools(): MachineConfigPool[] {
    return this.#all(api.machineConfigPools)
  }
  machineConfigs(): MachineConfig[] {
    return this.#all(api.machineConfigs)
  }

  /** The pools, and all that is built on. */
  async begin(pools: readonly string[]): Promise<void> {
    const { client } = this
    await controllerConfig(client, { version: maker.version })
    for (const name of ['00-master', '00-worker', '00-arbiter']) {
      await client.create(api.machineConfigs, { metadata: { name } })
    }
    for (const name of pools) {
      const made = await pool(client, name, name === 'infra' ? ['infra', 'worker'] : [name])
      const labels = mergePatch({ metadata: { labels: { all: '', [name]: '' } } })
      await client.patch(api.machineConfigPools, keyOf(made), labels)
    }
  }

  /** From now on a cache that is behind shows what is there now. */
  remember(): void {
    const kinds: Resource[] = [api.containerRuntimeConfigs, api.machineConfigs]
    this.#old = new Map(
      kinds.map((place): [string, KubeObject[]] => [place.kind, this.#all(place)]),
    )
  }

  /**
   * One pass of the controller for one object. Its process dies with a given write, and its caches may be behind. Answers
   * whether it came to an end.
   */
  async reconcile(
    name: string,
    { writes = Infinity, behind = [] as string[] } = {},
  ): Promise<boolean> {
    const transport = new MortalTransport(directTransport(this.api), writes)
    const client = new KubeClient({ transport, clock: this.clock, random: seededRandom(1) })
    const caches = {
      pools: this.#cache(api.machineConfigPools, behind),
      machineConfigs: this.#cache(api.machineConfigs, behind),
      controllerConfigs: this.#cache(api.controllerConfigs, behind),
    }
    const teller =
      (type: string): EventRecorder['normal'] =>
      (about, reason, message) =>
        void this.told.push(`${type} ${reason} ${(about as { name: string }).name}: ${message}`)
    const events = { normal: teller('Normal'), warning: teller('Warning') }
    const controller = nodeSettingsController(
      kindOf(this.#cache(api.containerRuntimeConfigs, behind)),
      {
        client,
        caches,
        clock: this.clock,
        metrics: this.metrics,
        events,
        maker,
      },
    )
    const { signal } = new AbortController()
    try {
      await controller.reconcile(name, { log: this.#log, signal, retries: 0 })
    } catch (error) {
      // What the queue of a real one handles: a person must act, or it comes again.
      const isUsual = error instanceof Stalled || error instanceof Waiting
      if (!isUsual && !(transport.isDead && error instanceof ConnectionFailure)) throw error
      return error instanceof Stalled
    }
    return !transport.isDead
  }

  /** Passes for all objects, until nothing changes any more. */
  async settle(): Promise<void> {
    for (let round = 0; round < 12; round++) {
      const { version } = this.api
      for (const { metadata } of this.objects()) await this.reconcile(metadata.name)
      if (this.api.version === version) return
    }
    throw new Error('it does not come to rest')
  }

  #all<T extends KubeObject>(place: Resource<T>): T[] {
    return this.api.objects(`${place.group}/${place.plural}`) as unknown as T[]
  }

  #cache<T extends KubeObject>(place: Resource<T>, behind: readonly string[]): Cache<T> {
    const isBehind = behind.includes(place.kind) && this.#old.has(place.kind)
    const all = isBehind ? (this.#old.get(place.kind) as T[]) : this.#all(place)
    const indexes = machineConfigIndexes as Record<
      string,
      (one: MachineConfig) => readonly string[]
    >
    return {
      get: (key) => all.find(({ metadata }) => metadata.name === key),
      list: () => all,
      byIndex: (index, value) =>
        all.filter((one) => indexes[index]!(one as MachineConfig).includes(value)),
      synced: () => Promise.resolve(true),
      subscribe: () => () => undefined,
    }
  }
}

function kindOf(
  objects: Cache<ContainerRuntimeConfig>,
): SettingsKind<ContainerRuntimeConfig, undefined> {
  return {
    controller: 'model',
    resource: api.containerRuntimeConfigs,
    objects,
    noun: 'word',
    part: 'generated-word',
    deprecatedPart: 'word',
    tellsAccepted: false,
    base: (of) => `00-${of}`,
    inputs: () => [],
    world: () => undefined,
    problems: (one) => (wordOf(one) === badWord ? ['bad luck'] : []),
    settle: (all) => ({ spec: { config: { words: all.map(wordOf) } } }),
    fields: (one) => new Map([['word', String(wordOf(one))]]),
    idle: () => [],
  }
}
