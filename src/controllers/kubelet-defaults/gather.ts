import { annotations } from '../../api/annotations.ts'
import { names } from '../../api/names.ts'
import type { APIServer, FeatureGate, NodeConfig } from '../../api/openshift-config.ts'
import * as openshift from '../../api/openshift-config.ts'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import { InvalidInput } from '@machinist/core/errors'
import type { Resource } from '@machinist/core/objects/resource'
import { isGenerated } from '../generated/machine-config.ts'
import type { TemplateCaches } from '../node-settings/templates.ts'
import type { SharedCache } from '../render/caches.ts'
import type { DefaultsFacts, DefaultsProblem, StoredLayer } from './decide.ts'
import { kubeletConfIn } from './kubelet-conf.ts'

/** The sources of kubelet defaults. The caches of OpenShift kinds are empty if the cluster does not serve them. */
export interface DefaultsCaches extends TemplateCaches {
  readonly nodeConfigs: SharedCache<NodeConfig>
  readonly featureGates: SharedCache<FeatureGate>
  readonly apiServers: SharedCache<APIServer>
  /** The optional kinds that were served before and are not any more. */
  readonly lostKinds: () => readonly Resource[]
}

/** `97-<pool>-generated-kubelet` for Node and APIServer; `98-…` for feature gates. */
export const layerName = (digits: '97' | '98', pool: string): string =>
  `${digits}-${pool}-generated-kubelet`

const layerPattern = /^9[78]-.+-kubelet$/

/** Whether a MachineConfig may be a layer, under a current or old name. */
export const isLayer = (name: string): boolean => layerPattern.test(name)

/** The MachineConfig of the templates with the kubelet configuration of a role. */
export const kubeletBase = (role: string): string => `01-${role}-kubelet`

/** Gathers the facts for the kubelets of a role. Throws InvalidInput if kubelet.conf of the templates is missing or invalid. */
export function gatherDefaults(
  role: string,
  base: Readonly<MachineConfig>,
  caches: DefaultsCaches,
): DefaultsFacts {
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

export function lostKindsOf({
  lostKinds,
}: Pick<DefaultsCaches, 'lostKinds'>): ReadonlySet<DefaultsProblem['kind']> {
  const lost = new Set(lostKinds())
  return new Set([
    ...(lost.has(openshift.nodeConfigs) ? (['Node'] as const) : []),
    ...(lost.has(openshift.featureGates) ? (['FeatureGate'] as const) : []),
    ...(lost.has(openshift.apiServers) ? (['APIServer'] as const) : []),
  ])
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
