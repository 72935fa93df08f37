import { configMaps } from '@machinist/kube/kinds/core'
import { clusterFacts, configMaps as sources } from '../../../src/api/names.ts'
import type { MachineConfig } from '../../../src/api/kinds/resources.ts'
import {
  controllerConfigs,
  machineConfigPools,
  machineConfigs,
  trustRotations,
} from '../../../src/api/kinds/resources.ts'
import { readTemplates } from '../../../src/controllers/template/template-set.ts'
import type { Cluster } from '../cluster.ts'
import type { TrustItem } from './item.ts'
import type { Rotation } from './rotations.ts'

/** The one template that matters for trust. */
export const templates = readTemplates(
  new Map([
    [
      'common/00/_base/files/etc/kubernetes/kubelet-ca.crt.liquid',
      '---\nmode: 0644\n---\n{{ kubeAPIServerServingCAData | strip }}\n',
    ],
  ]),
)

/** The empty config of all nodes in simulations without rendering. */
export const config: MachineConfig = {
  metadata: { name: 'rendered-worker-1' },
  spec: { config: { ignition: { version: '3.4.0' } } },
}

/** Cluster facts of a cluster other than OpenShift. */
const facts = {
  infrastructure:
    '{"spec":{"platformSpec":{"type":"None"}},"status":{"apiServerInternalURI":"https://api-int.example:6443","controlPlaneTopology":"HighlyAvailable","platformStatus":{"type":"None"}}}',
  network: '{"spec":{"serviceNetwork":["10.96.0.0/12"]}}',
}

/** Creates the objects that exist before any component starts. */
export function install(
  cluster: Cluster,
  rotations: readonly Rotation[],
  { isRendered, isWhole }: { readonly isRendered: boolean; readonly isWhole: boolean },
): void {
  // Only with the whole operator: its repeated requests for missing kinds are expensive.
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

/** The rendered config of the worker pool, in simulations with rendering. */
export function renderedConfig(cluster: Cluster): MachineConfig | undefined {
  const pool = cluster.get(machineConfigPools, { name: 'worker' })
  const { name } = pool?.spec.configuration ?? {}
  return name === undefined ? undefined : cluster.get(machineConfigs, { name })
}

/** The bundle that the operator delivers to joining nodes; empty until it is published. */
export function deliveredBundle(cluster: Cluster, item: TrustItem): string {
  const [controllerConfig] = cluster.list(controllerConfigs)
  const { kubeconfigData } = sources
  const servers = cluster.get(configMaps, kubeconfigData)?.binaryData
  const data =
    item === 'kubelet-client-ca'
      ? controllerConfig?.spec.kubeAPIServerServingCAData
      : servers?.[kubeconfigData.key]
  return Buffer.from(data ?? '', 'base64').toString()
}
