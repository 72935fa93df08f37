import { annotations } from '../../api/annotations.ts'
import { names } from '../../api/names.ts'
import type { APIServer, FeatureGate, NodeConfig } from '../../api/openshift-config.ts'
import * as openshift from '../../api/openshift-config.ts'
import type { MachineConfig } from '../../api/resources.ts'
import { InvalidInput } from '@machinist/core/errors'
import type { Resource } from '@machinist/core/resource'
import { isGenerated } from '../generated/machine-config.ts'
import type { TemplateCaches } from '../node-settings/templates.ts'
import type { Cache } from '../render/caches.ts'
import type { DefaultsFacts, DefaultsProblem, StoredLayer } from './decide.ts'
import { kubeletConfIn } from './kubelet-conf.ts'

/** What tells about all kubelets of a cluster; the three last ones are empty where it has no such kinds. */
export interface DefaultsCaches extends TemplateCaches {
  readonly nodeConfigs: Cache<NodeConfig>
  readonly featureGates: Cache<FeatureGate>
  readonly apiServers: Cache<APIServer>
  /** Of all kinds that not every cluster has, those that were served before and are not now. */
  readonly lostKinds: () => readonly Resource[]
}

/** `97-<pool>-generated-kubelet`: Node and APIServer; `98-…`: feature gates. */
export const layerName = (digits: '97' | '98', pool: string): string =>
  `${digits}-${pool}-generated-kubelet`

const layerPattern = /^9[78]-.+-kubelet$/

/** Whether a MachineConfig may be such a layer, also under a name of old releases. */
export const isLayer = (name: string): boolean => layerPattern.test(name)

/** The MachineConfig of the templates that has the configuration of a role's kubelets. */
export const kubeletBase = (role: string): string => `01-${role}-kubelet`

/** Everything about the kubelets of a role. InvalidInput if the templates gave them nothing that can be read. */
export function gather(
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
    lost: lostOf(caches),
    stored: {
      node: storedLayer(machineConfigs.get(layerName('97', role))),
      features: storedLayer(machineConfigs.get(layerName('98', role))),
    },
  }
}

export function lostOf({
  lostKinds,
}: Pick<DefaultsCaches, 'lostKinds'>): ReadonlySet<DefaultsProblem['kind']> {
  const places = new Set(lostKinds())
  return new Set([
    ...(places.has(openshift.nodeConfigs) ? (['Node'] as const) : []),
    ...(places.has(openshift.featureGates) ? (['FeatureGate'] as const) : []),
    ...(places.has(openshift.apiServers) ? (['APIServer'] as const) : []),
  ])
}

/** What is not by a controller, or cannot be read, counts as not there. */
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
