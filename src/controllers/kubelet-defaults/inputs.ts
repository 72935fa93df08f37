import { names } from '../../api/names.ts'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import type { SharedCache } from '../render/caches.ts'
import type { DefaultsCaches } from './gather.ts'

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
