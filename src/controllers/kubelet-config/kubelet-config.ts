import type { KubeletConfig } from '../../api/kinds/resources.ts'
import { kubeletConfigs } from '../../api/kinds/resources.ts'
import type { Controller } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { kubeletDefaults } from '../kubelet-defaults/decide.ts'
import type { DefaultsCaches } from '../kubelet-defaults/gather.ts'
import { gatherDefaults, isLayer, kubeletBase } from '../kubelet-defaults/gather.ts'
import { clusterInputs } from '../kubelet-defaults/inputs.ts'
import type { KubeletConf } from '../kubelet-defaults/kubelet-conf.ts'
import type { NodeSettingsCaches } from '../node-settings/gather.ts'
import type { NodeSettingsOptions } from '../node-settings/node-settings.ts'
import { nodeSettingsController } from '../node-settings/node-settings.ts'
import type { SettingsKind } from '../node-settings/settings-kind.ts'
import type { SharedCache } from '../render/caches.ts'
import { fieldsOf } from './object-fields.ts'
import { ineffectiveFields, kubeletConfigProblems } from './problems.ts'
import { mergeKubeletConfigs } from './merge.ts'

/** The caches of this controller; other controllers may share the informers. */
export interface KubeletConfigCaches extends NodeSettingsCaches, DefaultsCaches {
  readonly kubeletConfigs: SharedCache<KubeletConfig>
}

export interface KubeletConfigOptions extends NodeSettingsOptions {
  readonly caches: KubeletConfigCaches
}

/** KubeletConfigs → `99-<pool>-generated-kubelet`. The key is the object's name. */
export function kubeletConfigController(options: KubeletConfigOptions): Controller {
  return nodeSettingsController(kubeletConfigKind(options.caches), options)
}

/** KubeletConfigs extend the kubelet defaults of the cluster, which are computed here and not read from stored MachineConfigs. */
function kubeletConfigKind(caches: KubeletConfigCaches): SettingsKind<KubeletConfig, KubeletConf> {
  return {
    controller: 'kubelet-config',
    resource: kubeletConfigs,
    objects: caches.kubeletConfigs,
    noun: 'kubelet config',
    part: 'generated-kubelet',
    deprecatedPart: 'kubelet',
    reportsAccepted: true,
    base: kubeletBase,
    inputs: (allObjects) => [
      ...clusterInputs(caches, allObjects),
      input({
        resource: 'MachineConfig',
        informer: caches.machineConfigs,
        keys: ({ object }) => (isLayer(object.metadata.name) ? allObjects() : []),
      }),
    ],
    context: ({ role }, base) => kubeletDefaults(gatherDefaults(role, base, caches)).features,
    problems: kubeletConfigProblems,
    merge: (objects, _, base) => mergeKubeletConfigs(objects, base),
    fields: fieldsOf,
    ineffective: ineffectiveFields,
  }
}
