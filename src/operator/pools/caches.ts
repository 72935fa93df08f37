import { labels } from '../../api/labels.ts'
import { namespaces as fixedNamespaces } from '../../api/names.ts'
import type { ControllerConfig, MachineConfigPool } from '../../api/kinds/resources.ts'
import type { Clock } from '@machinist/core/clock'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { KubeClient, ListWatchScope } from '@machinist/kube/client/client'
import type { Informer } from '@machinist/kube/informer/informer'
import { OptionalSource } from '@machinist/kube/informer/optional-source'
import type { Namespace, Secret } from '@machinist/kube/kinds/core'
import { namespaces, secrets } from '@machinist/kube/kinds/core'
import type { ListWatch } from '@machinist/kube/list-watch'

type Cache<T extends KubeObject> = Pick<
  Informer<T>,
  'get' | 'list' | 'hasSynced' | 'synced' | 'subscribe'
>

/** The caches of this controller; other controllers may share the first two. */
export interface PoolsCaches {
  readonly pools: Cache<MachineConfigPool>
  readonly controllerConfigs: Cache<ControllerConfig>
  /** Secrets of `userDataSource`, with their content, which is not secret. */
  readonly userData: Cache<Secret>
  /** Namespaces in `machineAPIScope`. */
  readonly machineAPI: Cache<Namespace>
}

/** Only Secrets with user data of pools. */
const userDataScope: ListWatchScope = {
  namespace: fixedNamespaces.machineAPI,
  labels: labels.caDerivedFromConfigMap,
}

/** The namespace of the Machine API, which not every cluster has. */
export const machineAPIScope: ListWatchScope = {
  fields: `metadata.name=${fixedNamespaces.machineAPI}`,
}

/** The Secrets, once their namespace exists. Clusters without the namespace need no RBAC for it. */
export function userDataSource(client: KubeClient, clock: Clock): ListWatch<Secret> {
  const source = client.listWatch(secrets, userDataScope)
  const ifNamespaceExists: ListWatch<Secret> = {
    list: async (options, signal) => {
      await client.getMetadata(namespaces, { name: fixedNamespaces.machineAPI }, { signal })
      return source.list(options, signal)
    },
    watch: (options, signal) => source.watch(options, signal),
  }
  return new OptionalSource(ifNamespaceExists, clock)
}
