import { labels } from '../../api/labels.ts'
import { namespaces as fixedNamespaces } from '../../api/names.ts'
import type { ControllerConfig, MachineConfigPool } from '../../api/resources.ts'
import type { Clock } from '../../base/clock.ts'
import type { KubeObject } from '../../base/resource.ts'
import type { KubeClient, Scope } from '../../kube/client.ts'
import type { Informer } from '../../kube/informer/informer.ts'
import { OptionalSource } from '../../kube/informer/optional-source.ts'
import type { Namespace, Secret } from '../../kube/kinds/core.ts'
import { namespaces, secrets } from '../../kube/kinds/core.ts'
import type { ListWatch } from '../../kube/list-watch.ts'

type Cache<T extends KubeObject> = Pick<
  Informer<T>,
  'get' | 'list' | 'hasSynced' | 'synced' | 'subscribe'
>

/** What it follows; the first two may be shared with others. */
export interface PoolsInformers {
  readonly pools: Cache<MachineConfigPool>
  readonly controllerConfigs: Cache<ControllerConfig>
  /** Secrets of `userDataSource`, whole: there is nothing secret in them. */
  readonly userData: Cache<Secret>
  /** Namespaces in `machineAPIScope`. */
  readonly machineAPI: Cache<Namespace>
}

/** Only Secrets that a pool's user data is in; what else machines need is none of our business. */
const userDataScope: Scope = {
  namespace: fixedNamespaces.machineAPI,
  labels: labels.caDerivedFromConfigMap,
}

/** Where machines are made from machine sets; not every cluster has that. */
export const machineAPIScope: Scope = { fields: `metadata.name=${fixedNamespaces.machineAPI}` }

/** These Secrets, as soon as their namespace is there. Where it is not, nobody has to be given a right to look into it. */
export function userDataSource(client: KubeClient, clock: Clock): ListWatch<Secret> {
  const source = client.listWatch(secrets, userDataScope)
  const ifThere: ListWatch<Secret> = {
    list: async (options, signal) => {
      await client.getMetadata(namespaces, { name: fixedNamespaces.machineAPI }, { signal })
      return source.list(options, signal)
    },
    watch: (options, signal) => source.watch(options, signal),
  }
  return new OptionalSource(ifThere, clock)
}
