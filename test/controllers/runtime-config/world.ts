import type { ContainerRuntimeSettings } from '../../../src/api/kinds/container-runtime-config.ts'
import type { ContainerRuntimeConfig } from '../../../src/api/resources.ts'
import * as api from '../../../src/api/resources.ts'
import { systemClock } from '../../../src/base/clock.ts'
import { silentLogger } from '../../../src/base/log.ts'
import { Metrics } from '../../../src/base/metrics.ts'
import { seededRandom } from '../../../src/base/random.ts'
import type { KubeObject, Resource } from '../../../src/base/resource.ts'
import { fileIn } from '../../../src/controllers/generated/base-file.ts'
import { machineConfigIndexes } from '../../../src/controllers/generated/caches.ts'
import { filesSpec } from '../../../src/controllers/generated/files-spec.ts'
import { runtimeConfigController } from '../../../src/controllers/runtime-config/runtime-config.ts'
import type { KubeClient } from '../../../src/kube/client.ts'
import { ControllerRunner } from '../../../src/kube/controller/controller-runner.ts'
import { Recorder } from '../../../src/kube/events/recorder.ts'
import { ifThere } from '../../../src/kube/failure.ts'
import { Informer } from '../../../src/kube/informer/informer.ts'
import type { Indexes } from '../../../src/kube/informer/store.ts'
import { machineConfig, pool } from '../render/world.ts'

const tools = { clock: systemClock, random: seededRandom(7), log: silentLogger }

/** The controller at work on a cluster; the answer stops it. */
export function runController(client: KubeClient): () => Promise<void> {
  const stop = new AbortController()
  const running: Promise<unknown>[] = []
  const metrics = new Metrics()
  const follow = <T extends KubeObject>(
    place: Resource<T>,
    indexes: Indexes<T> = {},
  ): Informer<T> => {
    const source = client.listWatch(place)
    const informer = new Informer<T>({ ...tools, metrics, resource: place.plural, source, indexes })
    running.push(informer.start(stop.signal))
    return informer
  }
  const events = new Recorder({
    ...tools,
    metrics,
    api: client,
    component: 'tested',
    instance: 'one',
  })
  const controller = runtimeConfigController({
    client,
    caches: {
      pools: follow(api.machineConfigPools),
      machineConfigs: follow(api.machineConfigs, machineConfigIndexes),
      controllerConfigs: follow(api.controllerConfigs),
      containerRuntimeConfigs: follow(api.containerRuntimeConfigs),
    },
    clock: systemClock,
    metrics,
    events,
    maker: { version: '1.2.3', build: 'build-1' },
  })
  running.push(new ControllerRunner(controller, { ...tools, metrics }).run(stop.signal))
  return async () => {
    stop.abort()
    await Promise.all(running)
    await events.close()
  }
}

const storage = '[storage]\ndriver = "overlay"\n'

/** Pools of workers and of infra, which gets what workers get, and what they build on. */
export async function begin(client: KubeClient): Promise<void> {
  await pool(client, 'worker', ['worker'])
  await pool(client, 'infra', ['worker', 'infra'])
  const base = filesSpec([{ path: '/etc/containers/storage.conf', text: storage }])
  await machineConfig(client, '00-worker', 'worker', base)
}

export function create(
  client: KubeClient,
  name: string,
  ofPool: string,
  containerRuntimeConfig: ContainerRuntimeSettings,
): Promise<ContainerRuntimeConfig> {
  const machineConfigPoolSelector = { matchLabels: { pool: ofPool } }
  const spec = { machineConfigPoolSelector, containerRuntimeConfig }
  return client.create(api.containerRuntimeConfigs, { metadata: { name }, spec })
}

/** The lines of a file in a MachineConfig; none where there is no such file. */
export async function linesIn(client: KubeClient, name: string, path: string): Promise<string[]> {
  const found = await ifThere(client.get(api.machineConfigs, { name }))
  const text = found && fileIn(found, path)
  return text === undefined ? [] : text.split('\n').filter(Boolean)
}
