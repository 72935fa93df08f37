import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { silentLogger } from '@machinist/core/log'
import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import { parseYamlDocuments } from '@machinist/core/encoding/yaml'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Node, Pod } from '@machinist/kube/kinds/core'
import { configMaps, nodes, pods, secrets } from '@machinist/kube/kinds/core'
import { apply, mergePatch } from '@machinist/kube/patch'
import { certificateAnnotations, nodeAnnotations } from '../../src/api/annotations.ts'
import { conditionOf } from '../../src/api/conditions.ts'
import { imageRegistryKinds, kinds } from '../../src/api/definitions/kinds.ts'
import type { MachineConfigPool } from '../../src/api/kinds/resources.ts'
import { machineConfigPools } from '../../src/api/kinds/resources.ts'
import type { Cluster, ClusterOptions } from '../../src/devcluster/cluster.ts'
import { startCluster } from '../../src/devcluster/cluster.ts'
import { defaultSize } from '../../src/devcluster/size/cluster-size.ts'
import { factsOf, isDone } from '../../src/fleet/rollout/node-facts.ts'
import { until } from './until.ts'

/** An accelerated cluster of `machinist up` in this process. */
export class RunningCluster {
  readonly data: string
  readonly client: KubeClient
  readonly #cluster: Cluster

  private constructor(data: string, cluster: Cluster) {
    this.data = data
    this.#cluster = cluster
    this.client = cluster.client
  }

  static async start(options: Partial<ClusterOptions> = {}): Promise<RunningCluster> {
    const data = mkdtempSync(join(tmpdir(), 'machinist-e2e-'))
    const cluster = await startCluster({ data, speed: 40, log: silentLogger, ...options })
    return new RunningCluster(data, cluster)
  }

  get caches(): Cluster['caches'] {
    return this.#cluster.caches
  }

  get kubeconfig(): string {
    return this.#cluster.api.kubeconfig
  }

  async stop(): Promise<void> {
    await this.#cluster.stop()
    rmSync(this.data, { recursive: true, force: true })
  }

  /** A file on the disk of a node. */
  onDisk(node: string, path: string): string {
    return readFileSync(join(this.data, 'nodes', node, path), 'utf8')
  }

  /** Waits until pools of the default size are updated. */
  async settled(...pools: readonly string[]): Promise<void> {
    for (const pool of pools) await settled(this.client, pool, defaultSize.get(pool) ?? 0)
  }
}

export const defaultPools = ['master', 'worker', 'infra'] as const

/** Waits until the pool and its nodes are updated to the newest config. */
export async function settled(
  client: KubeClient,
  name: string,
  count: number,
  config?: string,
): Promise<void> {
  await until(`pool ${name} is updated`, async () => {
    const { spec, status } = await client.get(machineConfigPools, { name })
    const target = config ?? spec.configuration?.name
    return (
      conditionOf(status?.conditions, 'Updated')?.status === 'True' &&
      target !== undefined &&
      spec.configuration?.name === target &&
      status?.configuration?.name === target &&
      status.machineCount === count &&
      status.updatedMachineCount === count
    )
  })
}

/** Waits for a new rendered config of a pool and returns its name. */
export async function rendered(client: KubeClient, name: string, before: string): Promise<string> {
  let now = before
  await until(`a new config is rendered for ${name}`, async () => {
    now = (await client.get(machineConfigPools, { name })).spec.configuration?.name ?? before
    return now !== before
  })
  return now
}

export async function targetOf(client: KubeClient, name: string): Promise<string> {
  return (await client.get(machineConfigPools, { name })).spec.configuration?.name ?? ''
}

/** Waits until the Updating condition of a pool matches, and returns its reason and message. */
export async function updatingMessage(
  client: KubeClient,
  name: string,
  expected: RegExp,
): Promise<string> {
  let text = ''
  await until(`condition Updating of pool ${name} matches ${expected}`, async () => {
    const { status } = await client.get(machineConfigPools, { name })
    const condition = conditionOf(status?.conditions, 'Updating')
    text = `${condition?.reason}: ${condition?.message}`
    return expected.test(text)
  })
  return text
}

export async function pausePool(client: KubeClient, name: string, paused: boolean): Promise<void> {
  await client.patch<MachineConfigPool>(
    machineConfigPools,
    { name },
    mergePatch({ spec: { paused } }),
  )
}

export async function nodesOf(client: KubeClient, pool: string): Promise<Node[]> {
  const { items } = await client.list(nodes)
  return items.filter(({ metadata }) => metadata.name.startsWith(`${pool}-`))
}

export const bootIds = (list: readonly Node[]): string[] =>
  list.map(({ status }) => status?.nodeInfo?.bootID ?? '')

export const currentConfig = ({ metadata }: Readonly<Node>): string | undefined =>
  metadata.annotations?.[nodeAnnotations.currentConfig]

export const isBusy = (node: Readonly<Node>): boolean => !isDone(factsOf(node))

export async function podsOn(client: KubeClient, node: string): Promise<Pod[]> {
  return (await client.list(pods, { fields: `spec.nodeName=${node}` })).items
}

export const example = (name: string): string =>
  join(import.meta.dirname, '../../examples', `${name}.yaml`)

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0

/** `kubectl apply -f`, or the same requests without kubectl. */
export async function applyFile(cluster: ClusterAccess, file: string): Promise<void> {
  if (hasKubectl) return kubectl(cluster.kubeconfig, 'apply', '-f', file)
  for (const object of objectsIn(file)) {
    const key = { name: object.metadata.name }
    await cluster.client.patch(resourceOf(object), key, apply(object, { fieldManager: 'kubectl' }))
  }
}

export async function deleteFile(cluster: ClusterAccess, file: string): Promise<void> {
  if (hasKubectl) return kubectl(cluster.kubeconfig, 'delete', '-f', file)
  for (const object of objectsIn(file)) {
    await cluster.client.remove(resourceOf(object), { name: object.metadata.name })
  }
}

/** `kubectl patch configmap`, or the same request without kubectl. */
export async function patchConfigMap(
  cluster: ClusterAccess,
  key: { namespace: string; name: string },
  data: Record<string, string>,
): Promise<void> {
  const patch = { data }
  if (!hasKubectl) {
    await cluster.client.patch(configMaps, key, mergePatch(patch))
    return
  }
  const { namespace, name } = key
  const what = ['-n', namespace, 'patch', 'configmap', name, '--type=merge']
  await kubectl(cluster.kubeconfig, ...what, `--patch=${JSON.stringify(patch)}`)
}

/** `kubectl annotate secret … certificate-not-after-`: requests a new CA. */
export async function removeNotAfter(
  cluster: ClusterAccess,
  { namespace, name }: { namespace: string; name: string },
): Promise<void> {
  const { notAfter } = certificateAnnotations
  if (hasKubectl) {
    return kubectl(cluster.kubeconfig, '-n', namespace, 'annotate', 'secret', name, `${notAfter}-`)
  }
  const patch = mergePatch({ metadata: { annotations: { [notAfter]: null } } })
  await cluster.client.patchMetadata(secrets, { namespace, name }, patch)
}

export interface ClusterAccess {
  readonly client: KubeClient
  readonly kubeconfig: string
}

const objectsIn = (file: string): KubeObject[] =>
  parseYamlDocuments(readFileSync(file, 'utf8'), file) as KubeObject[]

const resourceOf = ({ kind }: KubeObject): Resource =>
  [...kinds, ...imageRegistryKinds].find(({ resource }) => resource.kind === kind)!.resource

/** Asynchronous, because the API server may run in this thread. */
async function kubectl(kubeconfig: string, ...args: readonly string[]): Promise<void> {
  await promisify(execFile)('kubectl', [`--kubeconfig=${kubeconfig}`, ...args])
}
