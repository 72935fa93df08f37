import type { KubeClient } from '@machinist/kube/client/client'
import { isNotFound } from '@machinist/kube/failure'
import { configMaps, namespaces as namespaceResource } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { isObject } from '@machinist/core/encoding/json'
import { parseYaml, toYaml } from '@machinist/core/encoding/yaml'
import { labels, nodeRoleLabel, poolLabel } from '../../api/labels.ts'
import { clusterFacts, namespaces, pools as builtIn } from '../../api/names.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { machineConfigPools } from '../../api/kinds/resources.ts'
import type { CertificateDelivery } from '../../api/trust/items.ts'
import type { ClusterSize } from '../size/cluster-size.ts'
import { createIfMissing } from '../objects/create-object.ts'
import type { SourcesOptions } from './trust-sources.ts'
import { createTrustSources } from './trust-sources.ts'

/** The internal URL of the API server in kubeconfigs; nothing listens there. */
export const internalURL = 'https://api-int.machinist.example:6443'

interface ClusterObjectsOptions extends SourcesOptions {
  /** The delivery of certificates in a new cluster. Defaults to the one of the operator. */
  readonly delivery?: CertificateDelivery
}

/** Creates the objects of the cluster, its installer and its administrator. The operator creates the rest. */
export async function createClusterObjects(
  options: ClusterObjectsOptions,
  size: ClusterSize,
): Promise<void> {
  const { client } = options
  for (const name of Object.values(namespaces)) {
    await createIfMissing(client, namespaceResource, { metadata: { name } })
  }
  await createClusterFacts(options, topologyOf(size))
  await createTrustSources(options)
  for (const pool of size.keys()) {
    if (pool === builtIn.master || pool === builtIn.worker) continue
    await createIfMissing(client, machineConfigPools, customPool(pool))
  }
}

/** The ConfigMap with the cluster facts of a cluster other than OpenShift. */
async function createClusterFacts(
  { client, delivery }: ClusterObjectsOptions,
  topology: string,
): Promise<void> {
  const found = await factsIn(client)
  if (!found) {
    const infrastructure = {
      spec: { platformSpec: { type: 'None' } },
      status: {
        apiServerInternalURI: internalURL,
        controlPlaneTopology: topology,
        platformStatus: { type: 'None' },
      },
    }
    const network = { spec: { serviceNetwork: ['10.96.0.0/12'] } }
    const data = {
      infrastructure: toYaml(infrastructure),
      network: toYaml(network),
      ...(delivery && { certificateDelivery: delivery }),
    }
    return createIfMissing(client, configMaps, { metadata: clusterFacts, data })
  }
  const text = withTopology(found['infrastructure'], topology)
  if (text === undefined || text === found['infrastructure']) return
  await client.patch(configMaps, clusterFacts, mergePatch({ data: { infrastructure: text } }))
}

/** Updates the topology of a cluster that has grown. Text that cannot be parsed belongs to the user and stays. */
function withTopology(text: string | undefined, topology: string): string | undefined {
  const infrastructure = readable(text)
  if (!isObject(infrastructure)) return undefined
  const status = isObject(infrastructure['status']) ? infrastructure['status'] : {}
  if (status['controlPlaneTopology'] === topology) return text
  return toYaml({ ...infrastructure, status: { ...status, controlPlaneTopology: topology } })
}

function readable(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : parseYaml(text, clusterFacts.name)
  } catch {
    return undefined
  }
}

async function factsIn(client: KubeClient): Promise<Record<string, string> | undefined> {
  try {
    return (await client.get(configMaps, clusterFacts)).data ?? {}
  } catch (error) {
    if (!isNotFound(error)) throw error
    return undefined
  }
}

function topologyOf(size: ClusterSize): string {
  const isSingle = [...size.values()].reduce((sum, count) => sum + count, 0) === 1
  return isSingle ? 'SingleReplica' : 'HighlyAvailable'
}

function customPool(name: string): MachineConfigPool {
  const values = [builtIn.worker, name]
  return {
    metadata: { name, labels: { [poolLabel(name)]: '' } },
    spec: {
      machineConfigSelector: {
        matchExpressions: [{ key: labels.role, operator: 'In', values }],
      },
      nodeSelector: { matchLabels: { [nodeRoleLabel(name)]: '' } },
    },
  }
}
