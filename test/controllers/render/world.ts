import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { kinds } from '../../../src/api/kinds.ts'
import { customResourceDefinition } from '../../../src/api/schema/crd.ts'
import type {
  ControllerConfig,
  MachineConfig,
  MachineConfigPool,
} from '../../../src/api/resources.ts'
import * as api from '../../../src/api/resources.ts'
import { systemClock } from '../../../src/base/clock.ts'
import { silentLogger } from '../../../src/base/log.ts'
import { Metrics } from '../../../src/base/metrics.ts'
import { seededRandom } from '../../../src/base/random.ts'
import type { Condition, KubeObject, Resource } from '../../../src/base/resource.ts'
import { keyOf } from '../../../src/base/resource.ts'
import { parseYaml } from '../../../src/base/yaml.ts'
import {
  machineConfigIndexes,
  machineConfigNodeIndexes,
  nodeIndexes,
} from '../../../src/controllers/render/caches.ts'
import type { RenderCaches } from '../../../src/controllers/render/caches.ts'
import type { RenderOptions } from '../../../src/controllers/render/render.ts'
import { RenderController } from '../../../src/controllers/render/render.ts'
import type { KubeClient } from '../../../src/kube/client.ts'
import { ControllerRunner } from '../../../src/kube/controller/controller-runner.ts'
import { Recorder } from '../../../src/kube/events/recorder.ts'
import { isNotFound } from '../../../src/kube/failure.ts'
import { Informer } from '../../../src/kube/informer/informer.ts'
import type { Indexes } from '../../../src/kube/informer/store.ts'
import { customResourceDefinitions } from '../../../src/kube/kinds/apiextensions.ts'
import { nodes } from '../../../src/kube/kinds/core.ts'
import { apply, mergePatch } from '../../../src/kube/patch.ts'
import { until } from '../../support/until.ts'

const maker = { version: '1.2.3', build: 'build-1' }
const role = 'machineconfiguration.openshift.io/role'
const runtime = { clock: systemClock, random: seededRandom(7), log: silentLogger }

/** All of them unless said. */
export async function installDefinitions(
  client: KubeClient,
  wanted: typeof kinds = kinds,
): Promise<void> {
  for (const kind of wanted) {
    const definition = customResourceDefinition(kind) as KubeObject
    await client.patch(
      customResourceDefinitions,
      keyOf(definition),
      apply(definition, { fieldManager: 'machinist', force: true }),
    )
  }
  const served = async (place: Resource): Promise<boolean> => {
    try {
      return (await client.list(place)).items.length >= 0
    } catch (error) {
      if (isNotFound(error)) return false
      throw error
    }
  }
  for (const { resource } of wanted) {
    await until(`${resource.plural} are served`, () => served(resource))
  }
}

/** A render controller at work on a cluster, and short ways to change and see that cluster. */
export class World {
  readonly client: KubeClient
  readonly metrics = new Metrics()
  readonly events: Recorder
  readonly #stop = new AbortController()
  readonly #running: Promise<unknown>[] = []

  constructor(client: KubeClient, options: Partial<RenderOptions> = {}) {
    this.client = client
    const { metrics } = this
    this.events = new Recorder({
      ...runtime,
      metrics,
      api: client,
      component: 'machinist-controllers',
      instance: 'test',
    })
    const controller = new RenderController({
      client,
      caches: this.#caches(),
      events: this.events,
      metrics,
      clock: systemClock,
      maker,
      windowMs: 0,
      ...options,
    })
    this.#running.push(
      new ControllerRunner(controller, { ...runtime, metrics }).run(this.#stop.signal),
    )
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#running)
    await this.events.close()
  }

  #caches(): RenderCaches {
    return {
      pools: this.#informer(api.machineConfigPools),
      machineConfigs: this.#informer(api.machineConfigs, machineConfigIndexes),
      controllerConfigs: this.#informer(api.controllerConfigs),
      kubeletConfigs: this.#informer(api.kubeletConfigs),
      containerRuntimeConfigs: this.#informer(api.containerRuntimeConfigs),
      machineConfigurations: this.#informer(api.machineConfigurations),
      nodes: this.#informer(nodes, nodeIndexes),
      machineConfigNodes: this.#informer(api.machineConfigNodes, machineConfigNodeIndexes),
    }
  }

  #informer<T extends KubeObject>(place: Resource<T>, indexes: Indexes<T> = {}): Informer<T> {
    const informer = new Informer<T>({
      ...runtime,
      metrics: this.metrics,
      resource: place.plural,
      source: this.client.listWatch(place),
      indexes,
    })
    this.#running.push(informer.start(this.#stop.signal))
    return informer
  }
}

/** Makes the one ControllerConfig, with its templates done unless told otherwise. */
export async function controllerConfig(
  client: KubeClient,
  { version = maker.version, done = true }: { version?: string; done?: boolean } = {},
): Promise<void> {
  const path = join(
    import.meta.dirname,
    '../../api/examples/controller-config/valid/plain-kubernetes.yaml',
  )
  const { spec } = parseYaml(readFileSync(path, 'utf8'), path) as ControllerConfig
  const made = await client.create(api.controllerConfigs, {
    metadata: {
      name: 'machine-config-controller',
      annotations: {
        'machineconfiguration.openshift.io/generated-by-version': version,
        'machineconfiguration.openshift.io/release-image-version': '4.99.0',
      },
    },
    spec: {
      ...spec,
      baseOSContainerImage: 'registry.example/os@sha256:1',
      baseOSExtensionsContainerImage: 'registry.example/extensions@sha256:2',
    },
  })
  if (done) await templatesDone(client, made.metadata.generation ?? 1)
}

export async function templatesDone(client: KubeClient, observedGeneration: number): Promise<void> {
  const conditions = [
    ['TemplateControllerRunning', 'False'],
    ['TemplateControllerCompleted', 'True'],
    ['TemplateControllerFailing', 'False'],
  ].map(([type, status]) => ({ type, status, lastTransitionTime: '2026-01-01T00:00:00Z' }))
  await client.patch(
    api.controllerConfigs,
    { name: 'machine-config-controller' },
    mergePatch({ status: { observedGeneration, conditions } }),
    { subresource: 'status' },
  )
}

export function pool(
  client: KubeClient,
  name: string,
  roles: readonly string[],
): Promise<MachineConfigPool> {
  return client.create(api.machineConfigPools, {
    metadata: { name, labels: { pool: name } },
    spec: {
      machineConfigSelector: {
        matchExpressions: [{ key: role, operator: 'In', values: [...roles] }],
      },
    },
  })
}

export function machineConfig(
  client: KubeClient,
  name: string,
  of: string,
  spec: MachineConfig['spec'],
): Promise<MachineConfig> {
  return client.create(api.machineConfigs, { metadata: { name, labels: { [role]: of } }, spec })
}

/** The spec of a MachineConfig with one file. */
export const motd = (text: string): NonNullable<MachineConfig['spec']> => ({
  config: {
    ignition: { version: '3.2.0' },
    storage: { files: [{ path: '/etc/motd', mode: 420, contents: { source: `data:,${text}` } }] },
  },
})

export async function renderDegraded(
  client: KubeClient,
  name: string,
): Promise<Condition | undefined> {
  const { status } = await client.get(api.machineConfigPools, { name })
  return status?.conditions?.find(({ type }) => type === 'RenderDegraded')
}

/** The name that the pool points at. */
export async function target(client: KubeClient, name: string): Promise<string | undefined> {
  const { spec } = await client.get(api.machineConfigPools, { name })
  return spec.configuration?.name
}
