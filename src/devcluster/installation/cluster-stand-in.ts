import { labels, nodeRoleLabel, poolLabel } from '../../api/labels.ts'
import { clusterFacts, namespaces, pools as builtIn } from '../../api/names.ts'
import type { MachineConfigPool } from '../../api/resources.ts'
import { machineConfigPools } from '../../api/resources.ts'
import type { CertificateDelivery } from '../../api/trust/items.ts'
import type { KubeClient } from '@machinist/kube/client'
import { isNotFound } from '@machinist/kube/failure'
import { configMaps, namespaces as namespaceResource } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { isObject } from '@machinist/core/json'
import { parseYaml, toYaml } from '@machinist/core/yaml'
import type { ClusterSize } from '../cluster-size.ts'
import { makeObject } from '../stand-ins/make-object.ts'
import type { SourcesOptions } from './trust-sources.ts'
import { makeTrustSources } from './trust-sources.ts'

/** Under which nodes know the API; nobody listens there. */
export const internalURL = 'https://api-int.machinist.example:6443'

interface StandInOptions extends SourcesOptions {
  /** How certificates come to nodes, where the cluster is new; what Machinist does by itself unless said. */
  readonly delivery?: CertificateDelivery
}

/** What a cluster brings by itself, and an installer or administrator gives it. The operator makes the rest of it. */
export async function standInForCluster(options: StandInOptions, size: ClusterSize): Promise<void> {
  const { client } = options
  for (const name of Object.values(namespaces)) {
    await makeObject(client, namespaceResource, { metadata: { name } })
  }
  await describeCluster(options, topologyOf(size))
  await makeTrustSources(options)
  for (const pool of size.keys()) {
    if (pool === builtIn.master || pool === builtIn.worker) continue
    await makeObject(client, machineConfigPools, customPool(pool))
  }
}

/** The ConfigMap in which a cluster that is no OpenShift says what it is like. */
async function describeCluster(
  { client, delivery }: StandInOptions,
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
    return makeObject(client, configMaps, { metadata: clusterFacts, data })
  }
  const text = withTopology(found['infrastructure'], topology)
  if (text === undefined || text === found['infrastructure']) return
  await client.patch(configMaps, clusterFacts, mergePatch({ data: { infrastructure: text } }))
}

/** A cluster of one that has grown is one no longer. What cannot be read is the user's. */
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
