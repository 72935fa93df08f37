import type { Resource } from '@machinist/core/objects/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import { names } from '../../api/names.ts'
import type { CRIOCredentialProviderConfig } from '../../api/openshift-config.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { kubeletBase } from '../kubelet-defaults/layers.ts'
import type { TemplateCaches } from '../node-settings/templates.ts'
import { templateInputs } from '../node-settings/templates.ts'
import type { SharedCache } from '../render/caches.ts'
import { isGeneratedName } from './names.ts'

/** The caches of this controller; other controllers may share the informers. */
export interface CredentialProvidersCaches extends TemplateCaches {
  readonly pools: SharedCache<MachineConfigPool>
  /** Empty if the cluster does not serve the kind. */
  readonly credentialProviderConfigs: SharedCache<CRIOCredentialProviderConfig>
  /** The optional kinds that were served before and are not any more. */
  readonly lostKinds: () => readonly Resource[]
}

/** Every relevant change enqueues the only key. */
export function credentialProvidersInputs(caches: CredentialProvidersCaches): Input[] {
  const key = names.clusterConfig
  return [
    input({
      resource: 'CRIOCredentialProviderConfig',
      informer: caches.credentialProviderConfigs,
      keys: (change) =>
        isRelevantChange(change, ({ metadata: { uid, deletionTimestamp }, spec, status }) => [
          uid,
          deletionTimestamp,
          spec,
          status,
        ])
          ? [key]
          : [],
    }),
    input({
      resource: 'MachineConfigPool',
      informer: caches.pools,
      keys: (change) =>
        isRelevantChange(change, ({ metadata, spec }) => [
          metadata.deletionTimestamp,
          spec.machineConfigSelector,
        ])
          ? [key]
          : [],
    }),
    ...templateInputs(
      caches,
      kubeletBase,
      ({ metadata }) => isGeneratedName(metadata.name),
      () => [key],
    ),
  ]
}
