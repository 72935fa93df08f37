import type { KubeObject } from '@machinist/core/objects/resource'
import type { ListWatchScope } from '@machinist/kube/client/client'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Change } from '@machinist/kube/informer/change'
import { names, secrets as fixedSecrets } from '../../api/names.ts'
import type { ControllerConfig, MachineConfig } from '../../api/kinds/resources.ts'
import { owningControllerConfig } from '../../fleet/render/owner.ts'
import type { SharedCache } from '../render/caches.ts'

/** The caches that the template controller reads. Informers may be shared with other controllers. */
export interface TemplateCaches {
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

/** Maps changes to the ControllerConfig. `generatedNames` are the names of the last rendering. */
export function templateInputs(
  { controllerConfigs, machineConfigs, pullSecrets }: TemplateCaches,
  generatedNames: ReadonlySet<string>,
): Input[] {
  return [
    input({ resource: 'ControllerConfig', informer: controllerConfigs }),
    input({
      resource: 'MachineConfig',
      informer: machineConfigs,
      keys: (change) => (isOfTemplates(change, generatedNames) ? [names.controllerConfig] : []),
    }),
    input({
      resource: 'Secret',
      informer: pullSecrets,
      keys: () => [names.controllerConfig],
    }),
  ]
}

/** Whether the MachineConfig is or was generated from templates, or has the name of one that is. */
function isOfTemplates(
  change: Change<MachineConfig>,
  generatedNames: ReadonlySet<string>,
): boolean {
  const versions = change.type === 'updated' ? [change.before, change.object] : [change.object]
  return (
    versions.some((one) => owningControllerConfig(one) === names.controllerConfig) ||
    generatedNames.has(change.object.metadata.name)
  )
}
