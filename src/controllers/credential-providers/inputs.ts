import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isNews } from '@machinist/kube/controller/news'
import { kubeletBase } from '../kubelet-defaults/gather.ts'
import { templateInputs } from '../node-settings/templates.ts'
import { isNamedSo } from './act.ts'
import type { CredentialProvidersCaches } from './gather.ts'

/** Whatever counts wakes the one key. */
export function inputsOf(caches: CredentialProvidersCaches, key: string): Input[] {
  return [
    input({
      resource: 'CRIOCredentialProviderConfig',
      informer: caches.credentialProviderConfigs,
      keys: (change) =>
        isNews(change, ({ metadata: { uid, deletionTimestamp }, spec, status }) => [
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
        isNews(change, ({ metadata, spec }) => [
          metadata.deletionTimestamp,
          spec.machineConfigSelector,
        ])
          ? [key]
          : [],
    }),
    ...templateInputs(
      caches,
      kubeletBase,
      ({ metadata }) => isNamedSo(metadata.name),
      () => [key],
    ),
  ]
}
