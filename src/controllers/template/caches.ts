import { secrets as fixedSecrets } from '../../api/names.ts'
import type { ControllerConfig, MachineConfig } from '../../api/resources.ts'
import type { KubeObject } from '../../base/resource.ts'
import type { Scope } from '../../kube/client.ts'
import type { Indexes } from '../../kube/informer/store.ts'
import type { Cache } from '../render/caches.ts'
import { owningControllerConfig } from '../render/rendered-object.ts'

/** What the template controller reads. Informers may be shared with other controllers as long as they have these indexes. */
export interface TemplateInformers {
  readonly controllerConfigs: Cache<ControllerConfig>
  /** With `machineConfigIndexes`. */
  readonly machineConfigs: Cache<MachineConfig>
  /** Secrets in `pullSecretScope`; metadata is enough, it only tells when to look. */
  readonly pullSecrets: Pick<Cache<KubeObject>, 'synced' | 'subscribe'>
}

/** The one Secret that the operator names as the pull secret. */
export const pullSecretScope: Scope = {
  namespace: fixedSecrets.pullSecret.namespace,
  fields: `metadata.name=${fixedSecrets.pullSecret.name}`,
}

export const byControllerConfig = 'template: made from'

export const machineConfigIndexes: Indexes<MachineConfig> = {
  [byControllerConfig]: (machineConfig) => [owningControllerConfig(machineConfig) ?? []].flat(),
}
