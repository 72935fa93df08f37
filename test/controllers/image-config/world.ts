import type { ClusterVersion, Image } from '../../../src/api/openshift-config.ts'
import * as config from '../../../src/api/openshift-config.ts'
import type { MachineConfig, MachineConfigPool } from '../../../src/api/resources.ts'
import * as api from '../../../src/api/resources.ts'
import { systemClock } from '../../../src/base/clock.ts'
import { silentLogger } from '../../../src/base/log.ts'
import { Metrics } from '../../../src/base/metrics.ts'
import { seededRandom } from '../../../src/base/random.ts'
import type { KubeObject, Resource } from '../../../src/base/resource.ts'
import { keyOf } from '../../../src/base/resource.ts'
import { fileIn } from '../../../src/controllers/generated/base-file.ts'
import { imageConfigController } from '../../../src/controllers/image-config/image-config.ts'
import type { ImageSources } from '../../../src/controllers/image-config/sources.ts'
import { followImageSources } from '../../../src/controllers/image-config/sources.ts'
import { OptionalKinds } from '../../../src/controllers/optional-kinds.ts'
import type { KubeClient } from '../../../src/kube/client.ts'
import { ControllerRunner } from '../../../src/kube/controller/controller-runner.ts'
import { Recorder } from '../../../src/kube/events/recorder.ts'
import { isAlreadyExists, isNotFound } from '../../../src/kube/failure.ts'
import { Informer } from '../../../src/kube/informer/informer.ts'
import { customResourceDefinitions } from '../../../src/kube/kinds/apiextensions.ts'
import { mergePatch } from '../../../src/kube/patch.ts'
import { until } from '../../support/until.ts'
import { rendered, exampleControllerConfig } from '../template/rendered.ts'

const role = 'machineconfiguration.openshift.io/role'
const builtIn = 'machineconfiguration.openshift.io/mco-built-in'
const generatedBy = 'machineconfiguration.openshift.io/generated-by-controller-version'

/** What OpenShift serves, and a plain cluster does not. */
const openshiftKinds: readonly Resource[] = [
  config.images,
  config.clusterVersions,
  config.imageDigestMirrorSets,
  config.imageTagMirrorSets,
  config.imageContentPolicies,
  config.imageContentSourcePolicies,
  config.clusterImagePolicies,
  config.imagePolicies,
]

export async function installOpenshiftKinds(client: KubeClient): Promise<void> {
  for (const kind of openshiftKinds) await installKind(client, kind)
}

async function installKind(client: KubeClient, place: Resource): Promise<void> {
  const { group, version, kind, plural, namespaced } = place
  const schema = {
    openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  }
  const versions = [
    { name: version, served: true, storage: true, schema, subresources: { status: {} } },
  ]
  const definition = {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: { kind, plural, singular: kind.toLowerCase() },
      versions,
    },
  }
  await client.create(customResourceDefinitions, definition as never).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error
  })
  const isServed = (): Promise<boolean> =>
    client.list(place).then(
      () => true,
      () => false,
    )
  await until(`${plural} are served`, isServed)
}

/** The controller at work on a cluster. */
export class World {
  readonly metrics = new Metrics()
  readonly #client: KubeClient
  readonly #events: Recorder
  readonly #stop = new AbortController()
  readonly #running: Promise<unknown>[] = []
  readonly #tools

  constructor(
    client: KubeClient,
    { build = 'build-1', lost }: { build?: string; lost?: ImageSources['lost'] } = {},
  ) {
    this.#client = client
    const { metrics } = this
    this.#tools = { clock: systemClock, random: seededRandom(7), log: silentLogger, metrics }
    this.#events = new Recorder({
      ...this.#tools,
      api: client,
      component: 'tested',
      instance: 'one',
    })
    const kinds = new OptionalKinds({ ...this.#tools, client }, (informer) => {
      this.#running.push(informer.start(this.#stop.signal))
    })
    const imageSources = followImageSources(kinds)
    const controller = imageConfigController({
      client,
      caches: {
        pools: this.#follow(api.machineConfigPools),
        machineConfigs: this.#follow(api.machineConfigs),
        controllerConfigs: this.#follow(api.controllerConfigs),
        imageSources: { ...imageSources, ...(lost && { lost }) },
      },
      metrics,
      events: this.#events,
      maker: { version: '1.2.3', build },
    })
    this.#running.push(new ControllerRunner(controller, this.#tools).run(this.#stop.signal))
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#running)
    await this.#events.close()
  }

  #follow<T extends KubeObject>(place: Resource<T>): Informer<T> {
    const source = this.#client.listWatch(place)
    const informer = new Informer<T>({ ...this.#tools, resource: place.plural, source })
    this.#running.push(informer.start(this.#stop.signal))
    return informer
  }
}

export function pool(
  client: KubeClient,
  name: string,
  isBuiltIn = true,
): Promise<MachineConfigPool> {
  const matchLabels = { [role]: name }
  return client.create(api.machineConfigPools, {
    metadata: { name, ...(isBuiltIn && { labels: { [builtIn]: '' } }) },
    spec: { machineConfigSelector: { matchLabels } },
  })
}

/** What the shipped templates make for container runtimes. */
export async function bases(client: KubeClient): Promise<void> {
  for (const [of, parts] of rendered(exampleControllerConfig('plain-kubernetes'))) {
    const wanted = parts.filter(({ name }) => name.endsWith('-container-runtime'))
    for (const { name, spec } of wanted) await make(client, name, of, spec)
  }
}

export function make(
  client: KubeClient,
  name: string,
  of: string,
  spec: NonNullable<MachineConfig['spec']>,
  build = 'build-1',
): Promise<MachineConfig> {
  const annotations = build === '' ? {} : { annotations: { [generatedBy]: build } }
  const metadata = { name, labels: { [role]: of }, ...annotations }
  return client.create(api.machineConfigs, { metadata, spec })
}

export function image(
  client: KubeClient,
  registrySources: Image['spec']['registrySources'] = {},
): Promise<Image> {
  return client.create(config.images, { metadata: { name: 'cluster' }, spec: { registrySources } })
}

export async function release(client: KubeClient, desired: string): Promise<void> {
  const name = 'version'
  await client
    .create<ClusterVersion>(config.clusterVersions, { metadata: { name } })
    .catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error
    })
  const patch = mergePatch({ status: { desired: { image: desired } } })
  await client.patch(config.clusterVersions, { name }, patch, { subresource: 'status' })
}

/** The text of a file in a MachineConfig that may not be there. */
export async function fileOf(
  client: KubeClient,
  name: string,
  path: string,
): Promise<string | undefined> {
  try {
    return fileIn(await client.get(api.machineConfigs, { name }), path)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

export async function clear(client: KubeClient): Promise<void> {
  const used = [api.machineConfigs, api.machineConfigPools, ...openshiftKinds] as const
  for (const place of used) {
    for await (const object of client.listAll<KubeObject>(place)) {
      await client.remove(place, keyOf(object)).catch((error: unknown) => {
        if (!isNotFound(error)) throw error
      })
    }
  }
}
