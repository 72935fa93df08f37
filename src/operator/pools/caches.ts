import { labels } from '../../api/labels.ts'
import { namespaces as fixedNamespaces } from '../../api/names.ts'
import type { ControllerConfig, MachineConfigPool } from '../../api/resources.ts'
import type { Clock } from '@machinist/core/clock'
import type { KubeObject } from '@machinist/core/resource'
import type { KubeClient, Scope } from '@machinist/kube/client'
import type { Informer } from '@machinist/kube/informer/informer'
import { OptionalSource } from '@machinist/kube/informer/optional-source'
import type { Namespace, Secret } from '@machinist/kube/kinds/core'
import { namespaces, secrets } from '@machinist/kube/kinds/core'
import type { ListWatch } from '@machinist/kube/list-watch'

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
