import type { KubeletConfig } from '../../api/resources.ts'
import { kubeletConfigs } from '../../api/resources.ts'
import type { Controller } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { kubeletDefaults } from '../kubelet-defaults/decide.ts'
import type { DefaultsCaches } from '../kubelet-defaults/gather.ts'
import { gather, isLayer, kubeletBase } from '../kubelet-defaults/gather.ts'
import { clusterInputs } from '../kubelet-defaults/inputs.ts'
import type { KubeletConf } from '../kubelet-defaults/kubelet-conf.ts'
import type { NodeSettingsCaches } from '../node-settings/gather.ts'
import type { NodeSettingsOptions } from '../node-settings/node-settings.ts'
import { nodeSettingsController } from '../node-settings/node-settings.ts'
import type { SettingsKind } from '../node-settings/settings-kind.ts'
import type { Cache } from '../render/caches.ts'
import { fieldsOf } from './overridden.ts'
import { idleIn, problemsOf } from './problems.ts'
import { settle } from './settle.ts'

/** What it follows; the informers may be shared with others. */
export interface KubeletConfigCaches extends NodeSettingsCaches, DefaultsCaches {
  readonly kubeletConfigs: Cache<KubeletConfig>
}

export interface KubeletConfigOptions extends NodeSettingsOptions {
  readonly caches: KubeletConfigCaches
}

/** KubeletConfigs → `99-<pool>-generated-kubelet`. The key is the object's name. */
export function kubeletConfigController(options: KubeletConfigOptions): Controller {
  return nodeSettingsController(kubeletConfigKind(options.caches), options)
}

/** They lie on what the cluster says about all kubelets, whether that is stored already or not. */
function kubeletConfigKind(caches: KubeletConfigCaches): SettingsKind<KubeletConfig, KubeletConf> {
  return {
    controller: 'kubelet-config',
    resource: kubeletConfigs,
    objects: caches.kubeletConfigs,
    noun: 'kubelet config',
    part: 'generated-kubelet',
    deprecatedPart: 'kubelet',
    tellsAccepted: true,
    base: kubeletBase,
    inputs: (allObjects) => [
      ...clusterInputs(caches, allObjects),
      input({
        resource: 'MachineConfig',
        informer: caches.machineConfigs,
        keys: ({ object }) => (isLayer(object.metadata.name) ? allObjects() : []),
      }),
    ],
    world: ({ role }, base) => kubeletDefaults(gather(role, base, caches)).features,
    problems: problemsOf,
    settle: (objects, _, base) => settle(objects, base),
    fields: fieldsOf,
    idle: idleIn,
  }
}
