import type { Resource } from '@machinist/core/objects/resource'
import { parseYaml } from '@machinist/core/encoding/yaml'
import type { KubeClient } from '@machinist/kube/client/client'
import { apiServers, featureGates, nodeConfigs } from '../../../../src/api/openshift-config.ts'
import type { KubeletConfig } from '../../../../src/api/kinds/resources.ts'
import * as api from '../../../../src/api/kinds/resources.ts'
import { kubeletConfigController } from '../../../../src/controllers/kubelet-config/kubelet-config.ts'
import { kubeletDefaultsController } from '../../../../src/controllers/kubelet-defaults/kubelet-defaults.ts'
import { OptionalKinds } from '../../../../src/controllers/caches/optional-kinds.ts'
import { RunningControllers } from '../../../support/running-controllers.ts'
import { maker, pool } from '../support/cluster-objects.ts'
import { fileOf } from '../support/machine-configs.ts'
import { createTemplates, settingsCaches } from '../support/settings-controllers.ts'

/** OpenShift kinds with settings for all kubelets. */
export const clusterKinds: readonly Resource[] = [nodeConfigs, featureGates, apiServers]
/** All kinds that a case may create. */
export const usedKinds = [
  api.kubeletConfigs,
  api.machineConfigs,
  api.machineConfigPools,
  ...clusterKinds,
]

/** Runs the kubelet-config and kubelet-defaults controllers. */
export function runKubeletControllers(client: KubeClient): RunningControllers {
  return new RunningControllers(client, (given) => {
    const optional = new OptionalKinds(given, given.start)
    const caches = {
      ...settingsCaches(given),
      kubeletConfigs: given.follow(api.kubeletConfigs),
      nodeConfigs: optional.follow(nodeConfigs),
      featureGates: optional.follow(featureGates),
      apiServers: optional.follow(apiServers),
      lostKinds: optional.lost,
    }
    return [
      kubeletConfigController(given, caches, { maker }),
      kubeletDefaultsController(given, caches, { maker }),
    ]
  })
}

/** Creates the pools master, worker and infra, which inherits from worker, and the kubelet MachineConfigs of the templates. */
export async function createPoolsAndBases(client: KubeClient): Promise<void> {
  await pool(client, 'master', ['master'])
  await pool(client, 'worker', ['worker'])
  await pool(client, 'infra', ['worker', 'infra'])
  await createTemplates(client, '-kubelet')
}

export const createKubeletConfig = (
  client: KubeClient,
  name: string,
  pools: string,
  spec: Partial<KubeletConfig['spec']>,
): Promise<KubeletConfig> =>
  client.create(api.kubeletConfigs, {
    metadata: { name },
    spec: { machineConfigPoolSelector: { matchLabels: { pool: pools } }, ...spec },
  })

/** The kubelet.conf of a MachineConfig. */
export async function confIn(
  client: KubeClient,
  name: string,
): Promise<Record<string, unknown> | undefined> {
  const path = '/etc/kubernetes/kubelet.conf'
  const text = await fileOf(client, name, path)
  return text === undefined ? undefined : (parseYaml(text, path) as Record<string, unknown>)
}
