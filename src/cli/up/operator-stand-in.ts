import { annotations } from '../../api/annotations.ts'
import { labels, nodeRoleLabel, poolLabel } from '../../api/labels.ts'
import { names, namespaces, pools as builtIn } from '../../api/names.ts'
import type { ControllerConfig, MachineConfigPool } from '../../api/resources.ts'
import { controllerConfigs, machineConfigPools } from '../../api/resources.ts'
import type { KubeClient } from '../../kube/client.ts'
import { namespaces as namespaceResource } from '../../kube/kinds/core.ts'
import { mergePatch } from '../../kube/patch.ts'
import { version } from '../version.ts'
import type { ClusterSize } from './cluster-size.ts'
import { makeObject } from './make-object.ts'

/**
 * What the operator will make once there is one: namespaces, pools, and the ControllerConfig from which the templates
 * are filled. All of it is in this file.
 */
export async function standInForOperator(client: KubeClient, size: ClusterSize): Promise<void> {
  for (const name of [namespaces.operator, namespaces.config]) {
    await makeObject(client, namespaceResource, { metadata: { name } })
  }
  for (const pool of size.keys()) await makeObject(client, machineConfigPools, poolNamed(pool))
  await makeObject(client, controllerConfigs, controllerConfig(size))
  // An operator of another version would say so, and controllers wait for one of their own.
  const said = { [annotations.generatedByVersion]: version }
  await client.patch(
    controllerConfigs,
    { name: names.controllerConfig },
    mergePatch({ metadata: { annotations: said } }),
  )
}

function poolNamed(name: string): MachineConfigPool {
  const isBuiltIn = name === builtIn.master || name === builtIn.worker
  const roles = isBuiltIn ? [name] : [builtIn.worker, name]
  return {
    metadata: {
      name,
      labels: { [poolLabel(name)]: '', ...(isBuiltIn && { [labels.builtInPool]: '' }) },
    },
    spec: {
      machineConfigSelector: isBuiltIn
        ? { matchLabels: { [labels.role]: name } }
        : { matchExpressions: [{ key: labels.role, operator: 'In', values: roles }] },
      nodeSelector: { matchLabels: { [nodeRoleLabel(name)]: '' } },
    },
  }
}

function controllerConfig(size: ClusterSize): ControllerConfig {
  const isSingle = [...size.values()].reduce((sum, count) => sum + count, 0) === 1
  return {
    metadata: {
      name: names.controllerConfig,
      annotations: {
        [annotations.generatedByVersion]: version,
        [annotations.releaseImageVersion]: version,
      },
    },
    spec: {
      clusterDNSIP: '10.96.0.10',
      cloudProviderConfig: '',
      ipFamilies: 'IPv4',
      kubeAPIServerServingCAData: null,
      rootCAData: null,
      cloudProviderCAData: null,
      additionalTrustBundle: null,
      images: {},
      // Sandboxes stay in the OS that they were made with.
      baseOSContainerImage: '',
      releaseImage: '',
      proxy: null,
      infra: {
        apiVersion: 'config.openshift.io/v1',
        kind: 'Infrastructure',
        metadata: { name: names.clusterConfig },
        spec: { platformSpec: { type: 'None' } },
        status: {
          apiServerInternalURI: 'https://api-int.machinist.example:6443',
          controlPlaneTopology: isSingle ? 'SingleReplica' : 'HighlyAvailable',
          platformStatus: { type: 'None' },
        },
      },
      dns: null,
      network: null,
    },
  }
}
