import { clusterFacts, configMaps as sources } from '../../../src/api/names.ts'
import type { MachineConfig } from '../../../src/api/resources.ts'
import {
  controllerConfigs,
  machineConfigPools,
  machineConfigs,
  trustRotations,
} from '../../../src/api/resources.ts'
import { readTemplates } from '../../../src/controllers/template/template-set.ts'
import { configMaps } from '@machinist/kube/kinds/core'
import type { Cluster } from '../cluster.ts'
import type { TrustItem } from './item.ts'
import type { Rotation } from './rotations.ts'

/** Of our templates the one that is of interest here. */
export const templates = readTemplates(
  new Map([
    [
      'common/00/_base/files/etc/kubernetes/kubelet-ca.crt.liquid',
      '---\nmode: 0644\n---\n{{ kubeAPIServerServingCAData | strip }}\n',
    ],
  ]),
)

/** All nodes are in it from the beginning, where nobody renders; it asks for nothing. */
export const config: MachineConfig = {
  metadata: { name: 'rendered-worker-1' },
  spec: { config: { ignition: { version: '3.4.0' } } },
}

/** What a cluster says about itself that is no OpenShift. */
const facts = {
  infrastructure:
    '{"spec":{"platformSpec":{"type":"None"}},"status":{"apiServerInternalURI":"https://api-int.example:6443","controlPlaneTopology":"HighlyAvailable","platformStatus":{"type":"None"}}}',
  network: '{"spec":{"serviceNetwork":["10.96.0.0/12"]}}',
}

/** What is there before any of ours runs. */
export function install(
  cluster: Cluster,
  rotations: readonly Rotation[],
  { isRendered, isWhole }: { readonly isRendered: boolean; readonly isWhole: boolean },
): void {
  // No OpenShift, as all of the operator understands by it. (It asks again and again for what is not there, which costs time.)
  if (isWhole) cluster.api.absentGroups.add('config.openshift.io')
  const over = { namespace: 'kube-system', name: 'bootstrap' }
  cluster.create('user', configMaps, { metadata: over })
  const certificateDelivery = isRendered ? 'rendered' : 'direct'
  const data = { ...facts, certificateDelivery }
  cluster.create('user', configMaps, { metadata: { ...clusterFacts }, data })
  if (!isRendered) cluster.create('user', machineConfigs, config)
  for (const { name, spec } of rotations) {
    cluster.create('user', trustRotations, { metadata: { name }, spec })
  }
}

/** What workers are to be in, where somebody renders that. */
export function renderedConfig(cluster: Cluster): MachineConfig | undefined {
  const pool = cluster.get(machineConfigPools, { name: 'worker' })
  const { name } = pool?.spec.configuration ?? {}
  return name === undefined ? undefined : cluster.get(machineConfigs, { name })
}

/** As the config server has it: what the operator has handed on; empty until then. */
export function givenTo(cluster: Cluster, item: TrustItem): string {
  const [controllerConfig] = cluster.list(controllerConfigs)
  const { kubeconfigData } = sources
  const servers = cluster.get(configMaps, kubeconfigData)?.binaryData
  const data =
    item === 'kubelet-client-ca'
      ? controllerConfig?.spec.kubeAPIServerServingCAData
      : servers?.[kubeconfigData.key]
  return Buffer.from(data ?? '', 'base64').toString()
}
