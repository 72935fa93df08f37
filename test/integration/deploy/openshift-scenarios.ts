import { generateKeyPairSync } from 'node:crypto'
import { toYaml } from '@machinist/core/encoding/yaml'
import type { KubeClient } from '@machinist/kube/client/client'
import { ignoreNotFound } from '@machinist/kube/failure'
import { customResourceDefinitions } from '@machinist/kube/kinds/apiextensions'
import * as openShiftConfig from '../../../src/api/openshift-config.ts'
import { machineConfigPools } from '../../../src/api/kinds/resources.ts'
import type { TrustCluster } from '../trust/cluster.ts'
import { loseLabel } from './config-scenarios.ts'
import { untilRequested } from './scenario.ts'
import type { Stage } from './stage.ts'

/** The cluster becomes an OpenShift with an arbiter: its kinds are served from now on, and informers find them. */
export async function openShift(stage: Stage, cluster: TrustCluster): Promise<void> {
  const { client } = stage
  const infrastructure = toYaml({
    spec: { platformSpec: { type: 'None' } },
    status: {
      apiServerInternalURI: 'https://api-int.machinist.example:6443',
      controlPlaneTopology: 'HighlyAvailableArbiter',
      platformStatus: { type: 'None' },
    },
  })
  await cluster.say({ infrastructure })
  await cluster.time.until('the arbiter pool exists', async () => {
    return (await ignoreNotFound(client.get(machineConfigPools, { name: 'arbiter' }))) !== undefined
  })
  await loseLabel(client, cluster, 'arbiter')
  await installKinds(client)
  for (const { group, plural } of openShiftKinds) {
    await untilRequested(stage, cluster, `watch ${group} ${plural}`)
  }
  await cluster.time.until('the ClusterOperator has conditions', async () => {
    const { status } =
      (await ignoreNotFound(
        client.get(openShiftConfig.clusterOperators, { name: 'machine-config' }),
      )) ?? {}
    return (status?.conditions ?? []).length > 0
  })
}

/** Two policies for the same images: the overridden one gets a condition. */
export async function conflictingImagePolicies(
  { client }: Stage,
  cluster: TrustCluster,
): Promise<void> {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const keyData = Buffer.from(publicKey.export({ type: 'spki', format: 'pem' })).toString('base64')
  const policy = { rootOfTrust: { policyType: 'PublicKey', publicKey: { keyData } } }
  const spec = { scopes: ['registry.example/a'], policy }
  const { images, clusterVersions, clusterImagePolicies, imagePolicies } = openShiftConfig
  await client.create(images, { metadata: { name: 'cluster' }, spec: {} })
  await client.create(clusterVersions, { metadata: { name: 'version' } })
  await client.create(clusterImagePolicies, { metadata: { name: 'all' }, spec })
  const key = { namespace: 'openshift-config', name: 'one' }
  await client.create(imagePolicies, { metadata: key, spec })
  await cluster.time.until('its status has conditions', async () => {
    const { status } = await client.get(imagePolicies, key)
    return (status?.conditions ?? []).length > 0
  })
}

/** A CRIOCredentialProviderConfig gets conditions. */
export async function credentialProviders({ client }: Stage, cluster: TrustCluster): Promise<void> {
  const { crioCredentialProviderConfigs } = openShiftConfig
  const key = { name: 'cluster' }
  const spec = { matchImages: ['registry.example'] }
  await client.create(crioCredentialProviderConfigs, { metadata: key, spec })
  await cluster.time.until('its status has conditions', async () => {
    const { status } = await client.get(crioCredentialProviderConfigs, key)
    return (status?.conditions ?? []).length > 0
  })
}

/** The kinds that components watch. */
const openShiftKinds = [
  openShiftConfig.apiServers,
  openShiftConfig.clusterImagePolicies,
  openShiftConfig.clusterOperators,
  openShiftConfig.clusterVersions,
  openShiftConfig.crioCredentialProviderConfigs,
  openShiftConfig.dnses,
  openShiftConfig.featureGates,
  openShiftConfig.imageContentPolicies,
  openShiftConfig.imageContentSourcePolicies,
  openShiftConfig.imageDigestMirrorSets,
  openShiftConfig.imagePolicies,
  openShiftConfig.imageTagMirrorSets,
  openShiftConfig.images,
  openShiftConfig.infrastructures,
  openShiftConfig.networks,
  openShiftConfig.nodeConfigs,
  openShiftConfig.proxies,
  openShiftConfig.schedulers,
] as const

async function installKinds(client: KubeClient): Promise<void> {
  for (const { group, kind, plural, namespaced, version: name } of openShiftKinds) {
    const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
    const subresources = { status: {} }
    await client.create(customResourceDefinitions, {
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: namespaced ? 'Namespaced' : 'Cluster',
        names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
        versions: [
          { name, served: true, storage: true, subresources, schema: { openAPIV3Schema } },
        ],
      },
    })
  }
}
