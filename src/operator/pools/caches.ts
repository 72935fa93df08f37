import { labels } from '../../api/labels.ts'
import { namespaces as fixedNamespaces } from '../../api/names.ts'
import type { ControllerConfig, MachineConfigPool } from '../../api/resources.ts'
import type { KubeObject } from '../../base/resource.ts'
import type { Scope } from '../../kube/client.ts'
import type { Informer } from '../../kube/informer/informer.ts'
import type { Namespace, Secret } from '../../kube/kinds/core.ts'

type Cache<T extends KubeObject> = Pick<
  Informer<T>,
  'get' | 'list' | 'hasSynced' | 'synced' | 'subscribe'
>

/** What it follows; the first two may be shared with others. */
export interface PoolsInformers {
  readonly pools: Cache<MachineConfigPool>
  readonly controllerConfigs: Cache<ControllerConfig>
  /** Secrets in `userDataScope`, whole: there is nothing secret in them. */
  readonly userData: Cache<Secret>
  /** Namespaces in `machineAPIScope`. */
  readonly machineAPI: Cache<Namespace>
}

/** Only Secrets that a pool's user data is in; what else machines need is none of our business. */
export const userDataScope: Scope = {
  namespace: fixedNamespaces.machineAPI,
  labels: labels.caDerivedFromConfigMap,
}

/** Where machines are made from machine sets; not every cluster has that. */
export const machineAPIScope: Scope = { fields: `metadata.name=${fixedNamespaces.machineAPI}` }
