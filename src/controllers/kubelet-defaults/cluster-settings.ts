import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import { names } from '../../api/names.ts'
import type { APIServer, FeatureGate, NodeConfig } from '../../api/openshift-config.ts'
import * as openshift from '../../api/openshift-config.ts'
import type { TemplateCaches } from '../node-settings/templates.ts'
import type { SharedCache } from '../render/caches.ts'

/* The OpenShift kinds with cluster-wide kubelet settings. */

/** The sources of kubelet defaults. The caches of OpenShift kinds are empty if the cluster does not serve them. */
export interface DefaultsCaches extends TemplateCaches {
  readonly nodeConfigs: SharedCache<NodeConfig>
  readonly featureGates: SharedCache<FeatureGate>
  readonly apiServers: SharedCache<APIServer>
  /** The optional kinds that were served before and are not any more. */
  readonly lostKinds: () => readonly Resource[]
}

export type ClusterKind = 'Node' | 'FeatureGate' | 'APIServer'

export function lostKindsOf({
  lostKinds,
}: Pick<DefaultsCaches, 'lostKinds'>): ReadonlySet<ClusterKind> {
  const lost = new Set(lostKinds())
  return new Set([
    ...(lost.has(openshift.nodeConfigs) ? (['Node'] as const) : []),
    ...(lost.has(openshift.featureGates) ? (['FeatureGate'] as const) : []),
    ...(lost.has(openshift.apiServers) ? (['APIServer'] as const) : []),
  ])
}

/** The watches of cluster-wide kubelet settings. A relevant change enqueues all keys. */
export function clusterInputs(
  { nodeConfigs, featureGates, apiServers }: DefaultsCaches,
  all: () => Iterable<string>,
): Input[] {
  /** Only object `cluster` of each kind is relevant. */
  const followed = <T extends KubeObject>(
    resource: string,
    informer: SharedCache<T>,
    relevant: (object: Readonly<T>) => unknown,
  ): Input =>
    input({
      resource,
      informer,
      keys: (change) =>
        change.object.metadata.name === names.clusterConfig && isRelevantChange(change, relevant)
          ? all()
          : [],
    })
  return [
    followed('Node (config.openshift.io)', nodeConfigs, ({ spec }) => spec),
    followed('FeatureGate', featureGates, ({ spec, status }) => [spec, status?.featureGates]),
    followed('APIServer', apiServers, ({ spec }) => spec?.tlsSecurityProfile),
  ]
}
