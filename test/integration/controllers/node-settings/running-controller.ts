import { Stalled, Waiting } from '@machinist/core/errors'
import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import { keyOf } from '@machinist/core/objects/resource'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { KubeClient } from '@machinist/kube/client/client'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { ConnectionFailure } from '@machinist/kube/failure'
import { mergePatch } from '@machinist/kube/patch'
import type {
  ContainerRuntimeConfig,
  MachineConfig,
  MachineConfigPool,
} from '../../../../src/api/kinds/resources.ts'
import * as api from '../../../../src/api/kinds/resources.ts'
import { machineConfigIndexes } from '../../../../src/controllers/generated/caches.ts'
import { nodeSettingsController } from '../../../../src/controllers/node-settings/node-settings.ts'
import type { SettingsKind } from '../../../../src/controllers/node-settings/settings-kind.ts'
import type { SharedCache } from '../../../../src/controllers/render/caches.ts'
import { MemoryApi } from '../../../simulation/api/memory-api.ts'
import { CrashingTransport } from '../drain/crashing-transport.ts'
import { controllerConfig, pool } from '../support/cluster-objects.ts'
import { directTransport } from './direct-transport.ts'

const maker = { version: '1.2.3', build: 'machinist-b' }
export const held = 'example.com/held'

/** The setting of a model object: a number. 13 is invalid in every pool. */
export const modelValue = ({ spec }: Readonly<ContainerRuntimeConfig>): number =>
  spec.containerRuntimeConfig.pidsLimit ?? 0
export const invalidValue = 13

/** A cluster in memory in which ContainerRuntimeConfigs become MachineConfigs that list their values. */
export class ModelCluster {
  readonly clock = new VirtualClock()
  readonly api = new MemoryApi(this.clock)
  readonly client = new KubeClient({
    transport: directTransport(this.api),
    clock: this.clock,
    random: seededRandom(1),
  })
  readonly #log = createLogger({ clock: this.clock, write: () => {}, level: 'error' })
  readonly metrics = new Metrics()
  /** Events in the form `Warning SettingsFailed b: Error: …`. */
  readonly emitted: string[] = []
  /** The content of a stale cache. */
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

  /** Creates the pools and the base MachineConfigs. */
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

  /** Makes the current state the content of stale caches. */
  remember(): void {
    const kinds: Resource[] = [api.containerRuntimeConfigs, api.machineConfigs]
    this.#old = new Map(
      kinds.map((resource): [string, KubeObject[]] => [resource.kind, this.#all(resource)]),
    )
  }

  /** Reconciles one object. The process dies at a given write, and its caches may be stale. Returns whether it finished. */
  async reconcile(
    name: string,
    { writes = Infinity, behind = [] as string[] } = {},
  ): Promise<boolean> {
    const transport = new CrashingTransport(directTransport(this.api), writes)
    const client = new KubeClient({ transport, clock: this.clock, random: seededRandom(1) })
    const caches = {
      pools: this.#cache(api.machineConfigPools, behind),
      machineConfigs: this.#cache(api.machineConfigs, behind),
      controllerConfigs: this.#cache(api.controllerConfigs, behind),
    }
    const recorder =
      (type: string): EventRecorder['normal'] =>
      (about, reason, message) =>
        void this.emitted.push(`${type} ${reason} ${(about as { name: string }).name}: ${message}`)
    const events = { normal: recorder('Normal'), warning: recorder('Warning') }
    const { clock, metrics } = this
    const tools = { client, clock, random: seededRandom(1), log: this.#log, metrics, events }
    const kind = modelKind(this.#cache(api.containerRuntimeConfigs, behind))
    const controller = nodeSettingsController(tools, caches, { kind, maker })
    const { signal } = new AbortController()
    try {
      await controller.reconcile(name, { log: this.#log, signal, retries: 0 })
    } catch (error) {
      // The work queue handles these.
      const isExpected = error instanceof Stalled || error instanceof Waiting
      if (!isExpected && !(transport.hasCrashed && error instanceof ConnectionFailure)) throw error
      return error instanceof Stalled
    }
    return !transport.hasCrashed
  }

  /** Reconciles all objects until nothing changes. */
  async settle(): Promise<void> {
    for (let round = 0; round < 12; round++) {
      const { version } = this.api
      for (const { metadata } of this.objects()) await this.reconcile(metadata.name)
      if (this.api.version === version) return
    }
    throw new Error('the cluster does not settle')
  }

  #all<T extends KubeObject>(resource: Resource<T>): T[] {
    return this.api.objects(`${resource.group}/${resource.plural}`) as unknown as T[]
  }

  #cache<T extends KubeObject>(resource: Resource<T>, behind: readonly string[]): SharedCache<T> {
    const isStale = behind.includes(resource.kind) && this.#old.has(resource.kind)
    const all = isStale ? (this.#old.get(resource.kind) as T[]) : this.#all(resource)
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

function modelKind(
  objects: SharedCache<ContainerRuntimeConfig>,
): SettingsKind<ContainerRuntimeConfig, undefined> {
  return {
    controller: 'model',
    resource: api.containerRuntimeConfigs,
    objects,
    noun: 'word',
    part: 'generated-word',
    deprecatedPart: 'word',
    reportsAccepted: false,
    base: (role) => `00-${role}`,
    inputs: () => [],
    context: () => undefined,
    problems: (one) => (modelValue(one) === invalidValue ? ['bad luck'] : []),
    merge: (all) => ({ spec: { config: { words: all.map(modelValue) } } }),
    fields: (one) => new Map([['word', String(modelValue(one))]]),
    ineffective: () => [],
  }
}
