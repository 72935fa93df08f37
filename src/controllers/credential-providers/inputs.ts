import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import { kubeletBase } from '../kubelet-defaults/gather.ts'
import { templateInputs } from '../node-settings/templates.ts'
import { isGeneratedName } from './act.ts'
import type { CredentialProvidersCaches } from './gather.ts'

/** Every relevant change enqueues the only key. */
export function inputsOf(caches: CredentialProvidersCaches, key: string): Input[] {
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
