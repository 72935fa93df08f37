import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound } from '@machinist/kube/failure'
import { nodes, pods } from '@machinist/kube/kinds/core'
import { podDisruptionBudgets } from '@machinist/kube/kinds/policy'
import { mergePatch } from '@machinist/kube/patch'
import { labels, poolLabel } from '../../../src/api/labels.ts'
import { finalizers } from '../../../src/api/names.ts'
import type { MachineConfig } from '../../../src/api/kinds/resources.ts'
import {
  containerRuntimeConfigs,
  controllerConfigs,
  drainPolicies,
  kubeletConfigs,
  machineConfigNodes,
  machineConfigPools,
  machineConfigs,
  pinnedImageSets,
} from '../../../src/api/kinds/resources.ts'
import { owner, podWith } from '../../../src/controllers/drain/objects.fixture.ts'
import { config } from '../daemon/follow/facts.ts'
import type { TrustCluster } from '../trust/cluster.ts'
import { untilRequested } from './scenario.ts'
import type { Stage } from './stage.ts'

/** Configs that require a drain and a reboot, with pods that can be evicted, that cannot, and whose DaemonSet is deleted. */
export async function disruptiveConfigs({ client }: Stage, cluster: TrustCluster): Promise<void> {
  await client.create(drainPolicies, {
    metadata: { name: 'worker' },
    spec: { forceAfterSeconds: 60 },
  })
  const budget = { minAvailable: 1, selector: { matchLabels: { app: 'stuck' } } }
  await client.create(podDisruptionBudgets, {
    metadata: { namespace: 'default', name: 'stuck' },
    spec: budget,
  })
  await pod(client, 'plain')
  await pod(client, 'stuck', { labels: { app: 'stuck' } })
  await pod(client, 'orphan', { owner: owner('DaemonSet', 'gone') })
  const role = { [labels.role]: 'worker' }
  for (const name of ['50-first', '51-second']) {
    const made = config(name, { [`/etc/${name}`]: name })
    await client.create(machineConfigs, { ...made, metadata: { name, labels: role } })
    await cluster.time.until(`${name} is on all workers`, async () => {
      const found = cluster.some(['worker-0', 'worker-1']).map((node) => node.read(`/etc/${name}`))
      const { spec } = await cluster.pool('worker')
      const isIn = spec.configuration?.source?.some((source) => source.name === name)
      return (
        isIn === true &&
        (await Promise.all(found)).every((text) => text === name) &&
        (await cluster.isUpdated('worker'))
      )
    })
  }
}

/** Users change or delete objects that the controllers own. */
export async function repairs({ client }: Stage, cluster: TrustCluster): Promise<void> {
  const { spec } = await cluster.pool('worker')
  const rendered = { name: spec.configuration!.name! }
  const isBack = (what: string, isSo: (found: MachineConfig) => boolean): Promise<void> =>
    cluster.time.until(what, async () => isSo(await client.get(machineConfigs, rendered)))
  await client.patch(machineConfigs, rendered, mergePatch({ spec: { kernelType: 'realtime' } }))
  await isBack('the rendered config is restored', (found) => found.spec?.kernelType !== 'realtime')
  for (const name of ['master', 'worker']) await loseLabel(client, cluster, name)
  // An unused rendered config: its finalizer is removed once it is deleted.
  const { items: all } = await client.list(nodes)
  const workers = await cluster.pool('worker')
  const inUse = new Set([
    workers.spec.configuration?.name,
    workers.status?.configuration?.name,
    ...all.flatMap((node) => Object.values(node.metadata.annotations ?? {})),
  ])
  const { items } = await client.list(machineConfigs)
  const old = items.find(
    ({ metadata }) =>
      metadata.name.startsWith('rendered-worker') &&
      !inUse.has(metadata.name) &&
      metadata.finalizers?.includes(finalizers.inUse),
  )!
  await client.remove(machineConfigs, { name: old.metadata.name })
  await cluster.time.until(
    'the unused rendered config is deleted',
    async () =>
      (await ignoreNotFound(client.get(machineConfigs, { name: old.metadata.name }))) === undefined,
  )
  // A MachineConfig that the template controller created in an earlier version.
  const { metadata } = await client.get(machineConfigs, { name: '00-worker' })
  const { annotations, ownerReferences, labels: own } = metadata
  const stale = {
    name: '02-worker-of-old',
    annotations,
    ownerReferences,
    labels: own,
  } as MachineConfig['metadata']
  await client.create(machineConfigs, { metadata: stale, spec: {} })
  await client.patch(
    controllerConfigs,
    { name: 'machine-config-controller' },
    mergePatch({ spec: { etcdDiscoveryDomain: 'x' } }),
  )
  await cluster.time.until(
    'the stale MachineConfig is deleted',
    async () =>
      (await ignoreNotFound(client.get(machineConfigs, { name: stale.name }))) === undefined,
  )
}

export async function machineConfigNodeCleanup(
  { client }: Stage,
  cluster: TrustCluster,
): Promise<void> {
  await cluster.time.until(
    'the MachineConfigNode of the first node is deleted',
    async () =>
      (await ignoreNotFound(client.get(machineConfigNodes, { name: 'first' }))) === undefined,
  )
}

/** Users create and delete KubeletConfigs and ContainerRuntimeConfigs, and pin images. */
export async function userSettings(stage: Stage, cluster: TrustCluster): Promise<void> {
  const { client } = stage
  const machineConfigPoolSelector = { matchLabels: { [poolLabel('worker')]: '' } }
  const metadata = { name: 'ours' }
  await client.create(kubeletConfigs, {
    metadata,
    spec: { machineConfigPoolSelector, kubeletConfig: { maxPods: 100 } },
  })
  await client.create(containerRuntimeConfigs, {
    metadata,
    spec: { machineConfigPoolSelector, containerRuntimeConfig: { logLevel: 'debug' } },
  })
  const isThere = async (name: string): Promise<boolean> =>
    (await ignoreNotFound(client.get(machineConfigs, { name }))) !== undefined
  const made = ['99-worker-generated-kubelet', '99-worker-generated-containerruntime']
  for (const name of made) await cluster.time.until(`${name} is there`, () => isThere(name))
  await client.remove(kubeletConfigs, metadata)
  await client.remove(containerRuntimeConfigs, metadata)
  for (const name of made) {
    await cluster.time.until(`${name} is gone`, async () => !(await isThere(name)))
  }
  const image = `registry.example/a@sha256:${'0'.repeat(64)}`
  await client.create(pinnedImageSets, {
    metadata: { name: 'ours', labels: { [labels.role]: 'worker' } },
    spec: { pinnedImages: [{ name: image }] },
  })
  await untilRequested(stage, cluster, 'get machineconfiguration.openshift.io pinnedimagesets ours')
}

export async function loseLabel(
  client: KubeClient,
  cluster: TrustCluster,
  name: string,
): Promise<void> {
  const lost = { metadata: { labels: { [poolLabel(name)]: null } } }
  await client.patch(machineConfigPools, { name }, mergePatch(lost))
  await cluster.time.until(`pool ${name} has its label`, async () => {
    const { metadata } = await cluster.pool(name)
    return metadata.labels?.[poolLabel(name)] === ''
  })
}

async function pod(client: KubeClient, name: string, fields: object = {}): Promise<void> {
  const { metadata, spec, status } = podWith(name, { namespace: 'default', ...fields })
  await client.create(pods, {
    metadata,
    spec: { ...spec!, nodeName: 'worker-0', terminationGracePeriodSeconds: 0 },
  })
  const key = { namespace: 'default', name }
  // A garbage collector deletes a pod whose owner is gone at once.
  await ignoreNotFound(client.patch(pods, key, mergePatch({ status }), { subresource: 'status' }))
}
