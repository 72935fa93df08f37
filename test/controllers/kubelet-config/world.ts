import { apiServers, featureGates, nodeConfigs } from '../../../src/api/openshift-config.ts'
import type { KubeletConfig, MachineConfig } from '../../../src/api/resources.ts'
import * as api from '../../../src/api/resources.ts'
import { systemClock } from '../../../src/base/clock.ts'
import { decodeDataUrl } from '../../../src/base/data-url.ts'
import { silentLogger } from '../../../src/base/log.ts'
import { Metrics } from '../../../src/base/metrics.ts'
import { seededRandom } from '../../../src/base/random.ts'
import type { KubeObject, Resource } from '../../../src/base/resource.ts'
import { parseYaml } from '../../../src/base/yaml.ts'
import { machineConfigIndexes } from '../../../src/controllers/generated/caches.ts'
import { kubeletConfigController } from '../../../src/controllers/kubelet-config/kubelet-config.ts'
import { kubeletDefaultsController } from '../../../src/controllers/kubelet-defaults/kubelet-defaults.ts'
import type { Config } from '../../../src/ignition/config.ts'
import type { KubeClient } from '../../../src/kube/client.ts'
import { ControllerRunner } from '../../../src/kube/controller/controller-runner.ts'
import { Recorder } from '../../../src/kube/events/recorder.ts'
import { ifThere, isAlreadyExists, isNotFound } from '../../../src/kube/failure.ts'
import { Informer } from '../../../src/kube/informer/informer.ts'
import { OptionalSource } from '../../../src/kube/informer/optional-source.ts'
import type { Indexes } from '../../../src/kube/informer/store.ts'
import { customResourceDefinitions } from '../../../src/kube/kinds/apiextensions.ts'
import { mergePatch } from '../../../src/kube/patch.ts'
import { until } from '../../support/until.ts'
import { pool } from '../render/world.ts'
import { exampleControllerConfig, rendered } from '../template/rendered.ts'

const maker = { version: '1.2.3', build: 'build-1' }
const role = 'machineconfiguration.openshift.io/role'
/** Those of OpenShift that tell about all kubelets. */
const clusterKinds: readonly Resource[] = [nodeConfigs, featureGates, apiServers]

/** Both controllers at work on a cluster. */
export class World {
  readonly #client: KubeClient
  readonly #stop = new AbortController()
  readonly #running: Promise<unknown>[] = []
  readonly #optional = new Map<Resource, { readonly isLost: boolean }>()
  readonly #tools = {
    clock: systemClock,
    random: seededRandom(7),
    log: silentLogger,
    metrics: new Metrics(),
  }

  constructor(client: KubeClient) {
    this.#client = client
    const { clock, metrics } = this.#tools
    const recorder = { ...this.#tools, api: client, component: 'tested', instance: 'one' }
    const events = new Recorder(recorder)
    const caches = {
      pools: this.#follow(api.machineConfigPools),
      machineConfigs: this.#follow(api.machineConfigs, machineConfigIndexes),
      controllerConfigs: this.#follow(api.controllerConfigs),
      kubeletConfigs: this.#follow(api.kubeletConfigs),
      nodeConfigs: this.#follow(nodeConfigs),
      featureGates: this.#follow(featureGates),
      apiServers: this.#follow(apiServers),
      lostKinds: () => [...this.#optional].flatMap(([place, { isLost }]) => (isLost ? place : [])),
    }
    const options = { client, caches, clock, metrics, events, maker }
    const controllers = [kubeletConfigController(options), kubeletDefaultsController(options)]
    const runs = controllers.map((one) =>
      new ControllerRunner(one, this.#tools).run(this.#stop.signal),
    )
    this.#running.push(Promise.all(runs).then(() => events.close()))
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#running)
  }

  #follow<T extends KubeObject>(place: Resource<T>, indexes: Indexes<T> = {}): Informer<T> {
    const listed = this.#client.listWatch(place)
    const isOptional = clusterKinds.includes(place)
    const optional = isOptional ? new OptionalSource(listed, systemClock) : undefined
    if (optional) this.#optional.set(place, optional)
    const source = optional ?? listed
    const informer = new Informer<T>({ ...this.#tools, resource: place.plural, source, indexes })
    this.#running.push(informer.start(this.#stop.signal))
    return informer
  }
}

/** Pools master, worker and infra, which gets what workers get, with what the templates make for them. */
export async function begin(client: KubeClient): Promise<void> {
  await pool(client, 'master', ['master'])
  await pool(client, 'worker', ['worker'])
  await pool(client, 'infra', ['worker', 'infra'])
  for (const [of, parts] of rendered(exampleControllerConfig('plain-kubernetes'))) {
    for (const { name, spec } of parts.filter((part) => part.name.endsWith('-kubelet'))) {
      await make(client, name, of, spec)
    }
  }
}

/** As the template controller, or another build of ours, makes it. */
export async function make(
  client: KubeClient,
  name: string,
  of: string,
  spec: MachineConfig['spec'],
  build = maker.build,
): Promise<MachineConfig> {
  const key = 'machineconfiguration.openshift.io/generated-by-controller-version'
  const metadata = { name, labels: { [role]: of }, ...(build && { annotations: { [key]: build } }) }
  return client.create(api.machineConfigs, { metadata, spec })
}

/** Definitions of OpenShift's, as loose as can be. */
export async function installClusterKinds(client: KubeClient): Promise<void> {
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  for (const { group, version, kind, plural } of clusterKinds) {
    const versions = [{ name: version, served: true, storage: true, schema: { openAPIV3Schema } }]
    const names = { kind, plural, singular: kind.toLowerCase() }
    const definition = {
      metadata: { name: `${plural}.${group}` },
      spec: { group, scope: 'Cluster', names, versions },
    }
    await client.create(customResourceDefinitions, definition as never).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error
    })
  }
  for (const place of clusterKinds) {
    await until(`${place.plural} are served`, () =>
      client.list(place).then(
        () => true,
        () => false,
      ),
    )
  }
}

/** Everything that a case may have made. */
export async function clear(client: KubeClient): Promise<void> {
  const used = [api.kubeletConfigs, api.machineConfigs, api.machineConfigPools, ...clusterKinds]
  for (const place of used) {
    for (const { metadata } of (await ifThere(client.list<KubeObject>(place)))?.items ?? []) {
      const key = { name: metadata.name }
      if (metadata.finalizers) {
        const released = mergePatch({ metadata: { finalizers: null } })
        await client.patch<KubeObject>(place, key, released).catch(unlessGone)
      }
      await client.remove(place, key).catch(unlessGone)
    }
  }
}

export const set = (
  client: KubeClient,
  name: string,
  pools: string,
  spec: Partial<KubeletConfig['spec']>,
): Promise<KubeletConfig> =>
  client.create(api.kubeletConfigs, {
    metadata: { name },
    spec: { machineConfigPoolSelector: { matchLabels: { pool: pools } }, ...spec },
  })

/** The names of MachineConfigs that are not from templates. */
export async function namesOf(client: KubeClient): Promise<string[]> {
  const { items } = await client.list(api.machineConfigs)
  return items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('9'))
}

/** Files of a MachineConfig by path; undefined if there is none. */
export async function filesOf(
  client: KubeClient,
  name: string,
): Promise<Record<string, string> | undefined> {
  const found = await ifThere(client.get(api.machineConfigs, { name }))
  if (!found) return undefined
  const { files = [] } = (found.spec!.config as Config).storage ?? {}
  return Object.fromEntries(
    files.map(({ path, contents }) => {
      return [path, Buffer.from(decodeDataUrl(contents!.source!).bytes).toString()]
    }),
  )
}

/** What kubelet.conf says in a MachineConfig. */
export async function confIn(
  client: KubeClient,
  name: string,
): Promise<Record<string, unknown> | undefined> {
  const path = '/etc/kubernetes/kubelet.conf'
  const text = (await filesOf(client, name))?.[path]
  return text === undefined ? undefined : (parseYaml(text, path) as Record<string, unknown>)
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error
}
