import { names } from '../../api/names.ts'
import type { KubeObject } from '@machinist/core/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isNews } from '@machinist/kube/controller/news'
import type { Cache } from '../render/caches.ts'
import type { DefaultsCaches } from './gather.ts'

/** What the cluster says about all kubelets. Whatever counts of it wakes all keys. */
export function clusterInputs(
  { nodeConfigs, featureGates, apiServers }: DefaultsCaches,
  all: () => Iterable<string>,
): Input[] {
  /** Only the one object of each kind does, and of that only some fields. */
  const followed = <T extends KubeObject>(
    resource: string,
    informer: Cache<T>,
    said: (object: Readonly<T>) => unknown,
  ): Input =>
    input({
      resource,
      informer,
      keys: (change) =>
        change.object.metadata.name === names.clusterConfig && isNews(change, said) ? all() : [],
    })
  return [
    followed('Node (config.openshift.io)', nodeConfigs, ({ spec }) => spec),
    followed('FeatureGate', featureGates, ({ spec, status }) => [spec, status?.featureGates]),
    followed('APIServer', apiServers, ({ spec }) => spec?.tlsSecurityProfile),
  ]
}
