import { apiServers, featureGates, nodeConfigs } from '../../../../src/api/openshift-config.ts'
import type { KubeletConfig } from '../../../../src/api/resources.ts'
import * as api from '../../../../src/api/resources.ts'
import type { Resource } from '@machinist/core/resource'
import { parseYaml } from '@machinist/core/yaml'
import { machineConfigIndexes } from '../../../../src/controllers/generated/caches.ts'
import { kubeletConfigController } from '../../../../src/controllers/kubelet-config/kubelet-config.ts'
import { kubeletDefaultsController } from '../../../../src/controllers/kubelet-defaults/kubelet-defaults.ts'
import { OptionalKinds } from '../../../../src/controllers/optional-kinds.ts'
import type { KubeClient } from '@machinist/kube/client'
import { RunningControllers } from '../../../support/running-controllers.ts'
import { generatedConfig, maker, pool } from '../support/cluster-objects.ts'
import { exampleControllerConfig } from '../support/example-controller-config.ts'
import { fileOf } from '../support/machine-configs.ts'
import { rendered } from '../template/rendered.ts'

/** Those of OpenShift that tell about all kubelets. */
export const clusterKinds: readonly Resource[] = [nodeConfigs, featureGates, apiServers]
/** Everything that a case may make. */
export const used = [
  api.kubeletConfigs,
  api.machineConfigs,
  api.machineConfigPools,
  ...clusterKinds,
]

/** Both controllers of kubelets at work on a cluster. */
export function runKubeletControllers(client: KubeClient): RunningControllers {
  return new RunningControllers(client, ({ follow, ...given }) => {
    const optional = new OptionalKinds(given, given.start)
    const caches = {
      pools: follow(api.machineConfigPools),
      machineConfigs: follow(api.machineConfigs, { indexes: machineConfigIndexes }),
      controllerConfigs: follow(api.controllerConfigs),
      kubeletConfigs: follow(api.kubeletConfigs),
      nodeConfigs: optional.follow(nodeConfigs),
      featureGates: optional.follow(featureGates),
      apiServers: optional.follow(apiServers),
      lostKinds: optional.lost,
    }
    const options = { ...given, caches, maker }
    return [kubeletConfigController(options), kubeletDefaultsController(options)]
  })
}

/** Pools master, worker and infra, which gets what workers get, with what the templates make for them. */
export async function begin(client: KubeClient): Promise<void> {
  await pool(client, 'master', ['master'])
  await pool(client, 'worker', ['worker'])
  await pool(client, 'infra', ['worker', 'infra'])
  for (const [of, parts] of rendered(exampleControllerConfig('plain-kubernetes'))) {
    for (const { name, spec } of parts.filter((part) => part.name.endsWith('-kubelet'))) {
      await generatedConfig(client, name, of, spec)
    }
  }
}

export const set = (
  client: KubeClient,
  name: string,
  pools: string,
  spec: Partial<KubeletConfig['spec']>,
): Promise<KubeletConfig> =>
  client.create(api.kubeletConfigs, {
    metadata: { name },
    spec: { machineConfigPoolSelector: { matchLabels: { pool: pools } }, ...spec },
  })

/** What kubelet.conf says in a MachineConfig. */
export async function confIn(
  client: KubeClient,
  name: string,
): Promise<Record<string, unknown> | undefined> {
  const path = '/etc/kubernetes/kubelet.conf'
  const text = await fileOf(client, name, path)
  return text === undefined ? undefined : (parseYaml(text, path) as Record<string, unknown>)
}
