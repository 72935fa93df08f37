import { secrets as fixedSecrets } from '../../api/names.ts'
import type { ControllerConfig, MachineConfig } from '../../api/kinds/resources.ts'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { ListWatchScope } from '@machinist/kube/client/client'
import type { SharedCache } from '../render/caches.ts'

/** The caches that the template controller reads. Informers may be shared with other controllers. */
export interface TemplateInformers {
  readonly controllerConfigs: SharedCache<ControllerConfig>
  /** With `machineConfigIndexes` of generated/caches.ts. */
  readonly machineConfigs: SharedCache<MachineConfig>
  /** Secrets in `pullSecretScope`; metadata only, to trigger a reconcile. */
  readonly pullSecrets: Pick<SharedCache<KubeObject>, 'synced' | 'subscribe'>
}

/** The pull secret of the cluster. */
export const pullSecretScope: ListWatchScope = {
  namespace: fixedSecrets.pullSecret.namespace,
  fields: `metadata.name=${fixedSecrets.pullSecret.name}`,
}
