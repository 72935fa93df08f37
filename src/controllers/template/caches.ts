import { secrets as fixedSecrets } from '../../api/names.ts'
import type { ControllerConfig, MachineConfig } from '../../api/resources.ts'
import type { KubeObject } from '@machinist/core/resource'
import type { Scope } from '@machinist/kube/client'
import type { Cache } from '../render/caches.ts'

/** What the template controller reads. Informers may be shared with other controllers. */
export interface TemplateInformers {
  readonly controllerConfigs: Cache<ControllerConfig>
  /** With `machineConfigIndexes` of generated/caches.ts. */
  readonly machineConfigs: Cache<MachineConfig>
  /** Secrets in `pullSecretScope`; metadata is enough, it only tells when to look. */
  readonly pullSecrets: Pick<Cache<KubeObject>, 'synced' | 'subscribe'>
}

/** The one Secret that the operator names as the pull secret. */
export const pullSecretScope: Scope = {
  namespace: fixedSecrets.pullSecret.namespace,
  fields: `metadata.name=${fixedSecrets.pullSecret.name}`,
}
