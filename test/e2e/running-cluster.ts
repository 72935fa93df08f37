import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { certificateAnnotations, nodeAnnotations } from '../../src/api/annotations.ts'
import { conditionOf } from '../../src/api/conditions.ts'
import { imageRegistryKinds, kinds } from '../../src/api/kinds.ts'
import type { MachineConfigPool } from '../../src/api/resources.ts'
import { machineConfigPools } from '../../src/api/resources.ts'
import { silentLogger } from '@machinist/core/log'
import type { KubeObject, Resource } from '@machinist/core/resource'
import { parseYamlDocuments } from '@machinist/core/yaml'
import type { Cluster, ClusterOptions } from '../../src/devcluster/cluster.ts'
import { startCluster } from '../../src/devcluster/cluster.ts'
import { usualSize } from '../../src/devcluster/cluster-size.ts'
import { factsOf, isDone } from '../../src/fleet/rollout/node-facts.ts'
import type { KubeClient } from '@machinist/kube/client'
import type { Node, Pod } from '@machinist/kube/kinds/core'
import { configMaps, nodes, pods, secrets } from '@machinist/kube/kinds/core'
import { apply, mergePatch } from '@machinist/kube/patch'
import { until } from './until.ts'

/** The cluster of `machinist up`, in this process and in a hurry. */
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

  get sight(): Cluster['sight'] {
    return this.#cluster.sight
  }

  get kubeconfig(): string {
    return this.#cluster.api.kubeconfig
  }

  async stop(): Promise<void> {
    await this.#cluster.stop()
    rmSync(this.data, { recursive: true, force: true })
  }

  /** What is on a node's disk. */
  onDisk(node: string, path: string): string {
    return readFileSync(join(this.data, 'nodes', node, path), 'utf8')
  }

  /** Of the usual nodes. */
  async settled(...pools: readonly string[]): Promise<void> {
    for (const pool of pools) await settled(this.client, pool, usualSize.get(pool) ?? 0)
  }
}

export const usualPools = ['master', 'worker', 'infra'] as const

/** The pool is updated to what was rendered last, and its machines are. */
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

/** The name of what is rendered for a pool, once it is another than before. */
export async function rendered(client: KubeClient, name: string, before: string): Promise<string> {
  let now = before
  await until(`something else is rendered for ${name}`, async () => {
    now = (await client.get(machineConfigPools, { name })).spec.configuration?.name ?? before
    return now !== before
  })
  return now
}

export async function targetOf(client: KubeClient, name: string): Promise<string> {
  return (await client.get(machineConfigPools, { name })).spec.configuration?.name ?? ''
}

/** What the pool says in its Updating condition, once it is that. */
export async function updatingSays(
  client: KubeClient,
  name: string,
  expected: RegExp,
): Promise<string> {
  let said = ''
  await until(`pool ${name} says ${expected}`, async () => {
    const { status } = await client.get(machineConfigPools, { name })
    const condition = conditionOf(status?.conditions, 'Updating')
    said = `${condition?.reason}: ${condition?.message}`
    return expected.test(said)
  })
  return said
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

/** `kubectl apply -f`, or what it comes to where there is no kubectl. */
export async function applyFile(cluster: Reached, file: string): Promise<void> {
  if (hasKubectl) return kubectl(cluster.kubeconfig, 'apply', '-f', file)
  for (const object of objectsIn(file)) {
    const key = { name: object.metadata.name }
    await cluster.client.patch(resourceOf(object), key, apply(object, { fieldManager: 'kubectl' }))
  }
}

export async function deleteFile(cluster: Reached, file: string): Promise<void> {
  if (hasKubectl) return kubectl(cluster.kubeconfig, 'delete', '-f', file)
  for (const object of objectsIn(file)) {
    await cluster.client.remove(resourceOf(object), { name: object.metadata.name })
  }
}

/** `kubectl patch configmap`, or what it comes to where there is no kubectl. */
export async function patchConfigMap(
  cluster: Reached,
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

/** `kubectl annotate secret … certificate-not-after-`: how people ask for a new CA. */
export async function forgetEnd(
  cluster: Reached,
  { namespace, name }: { namespace: string; name: string },
): Promise<void> {
  const { notAfter } = certificateAnnotations
  if (hasKubectl) {
    return kubectl(cluster.kubeconfig, '-n', namespace, 'annotate', 'secret', name, `${notAfter}-`)
  }
  const patch = mergePatch({ metadata: { annotations: { [notAfter]: null } } })
  await cluster.client.patchMetadata(secrets, { namespace, name }, patch)
}

export interface Reached {
  readonly client: KubeClient
  readonly kubeconfig: string
}

const objectsIn = (file: string): KubeObject[] =>
  parseYamlDocuments(readFileSync(file, 'utf8'), file) as KubeObject[]

const resourceOf = ({ kind }: KubeObject): Resource =>
  [...kinds, ...imageRegistryKinds].find(({ resource }) => resource.kind === kind)!.resource

/** Without waiting in this thread: the API server may live in it. */
async function kubectl(kubeconfig: string, ...args: readonly string[]): Promise<void> {
  await promisify(execFile)('kubectl', [`--kubeconfig=${kubeconfig}`, ...args])
}
