import { InvalidInput } from '@machinist/core/errors'
import { annotations } from '../../api/annotations.ts'
import { names } from '../../api/names.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { isGenerated } from '../generated/machine-config.ts'
import type { DefaultsCaches } from './cluster-settings.ts'
import { lostKindsOf } from './cluster-settings.ts'
import { kubeletConfIn } from './kubelet-conf.ts'
import { layerName } from './layers.ts'
import type { RoleFacts, StoredLayer } from './role-defaults.ts'

/** Gathers the facts for the kubelets of a role. Throws InvalidInput if kubelet.conf of the templates is missing or invalid. */
export function roleFacts(
  role: string,
  base: Readonly<MachineConfig>,
  caches: DefaultsCaches,
): RoleFacts {
  const { machineConfigs, controllerConfigs, nodeConfigs, featureGates, apiServers } = caches
  const conf = kubeletConfIn(base)
  if (!conf) throw new InvalidInput(`MachineConfig ${base.metadata.name} has no kubelet.conf`)
  const release = controllerConfigs.get(names.controllerConfig)?.metadata.annotations
  return {
    role,
    base: conf,
    node: nodeConfigs.get(names.clusterConfig),
    featureGate: featureGates.get(names.clusterConfig),
    apiServer: apiServers.get(names.clusterConfig),
    release: release?.[annotations.releaseImageVersion],
    lost: lostKindsOf(caches),
    stored: {
      node: storedLayer(machineConfigs.get(layerName('97', role))),
      features: storedLayer(machineConfigs.get(layerName('98', role))),
    },
  }
}

/** Ignores MachineConfigs that no controller generated, and unreadable ones. */
function storedLayer(machineConfig: Readonly<MachineConfig> | undefined): StoredLayer | undefined {
  if (!machineConfig || !isGenerated(machineConfig)) return undefined
  try {
    const kernelArguments = machineConfig.spec?.kernelArguments ?? []
    return { conf: kubeletConfIn(machineConfig), kernelArguments }
  } catch (error) {
    if (error instanceof InvalidInput) return undefined
    throw error
  }
}
