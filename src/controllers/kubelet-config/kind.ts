import { input } from '@machinist/kube/controller/controller'
import type { KubeletConfig } from '../../api/kinds/resources.ts'
import { kubeletConfigs } from '../../api/kinds/resources.ts'
import type { DefaultsCaches } from '../kubelet-defaults/cluster-settings.ts'
import { clusterInputs } from '../kubelet-defaults/cluster-settings.ts'
import type { KubeletConf } from '../kubelet-defaults/kubelet-conf.ts'
import { isLayer, kubeletBase } from '../kubelet-defaults/layers.ts'
import { kubeletDefaults } from '../kubelet-defaults/role-defaults.ts'
import { roleFacts } from '../kubelet-defaults/role-facts.ts'
import type { NodeSettingsCaches } from '../node-settings/inputs.ts'
import type { SettingsKind } from '../node-settings/settings-kind.ts'
import type { SharedCache } from '../render/caches.ts'
import { fieldsOf } from './object-fields.ts'
import { ineffectiveFields, kubeletConfigProblems } from './problems.ts'
import { mergeKubeletConfigs } from './merge.ts'

/** The caches of this controller; other controllers may share the informers. */
export interface KubeletConfigCaches extends NodeSettingsCaches, DefaultsCaches {
  readonly kubeletConfigs: SharedCache<KubeletConfig>
}

/** KubeletConfigs extend the kubelet defaults of the cluster, which are computed here and not read from stored MachineConfigs. */
export function kubeletConfigKind(
  caches: KubeletConfigCaches,
): SettingsKind<KubeletConfig, KubeletConf> {
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
    context: ({ role }, base) => kubeletDefaults(roleFacts(role, base, caches)).features,
    problems: kubeletConfigProblems,
    merge: (objects, _, base) => mergeKubeletConfigs(objects, base),
    fields: fieldsOf,
    ineffective: ineffectiveFields,
  }
}
