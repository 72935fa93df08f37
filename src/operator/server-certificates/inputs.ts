import type { Clock } from '@machinist/core/clock'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import type { Informer } from '@machinist/kube/informer/informer'
import type { ConfigMap } from '@machinist/kube/kinds/core'
import { names } from '../../api/names.ts'
import type { ControllerConfig, TrustRotation } from '../../api/kinds/resources.ts'
import { trustRotations } from '../../api/kinds/resources.ts'
import { independentInput } from '../inputs/independent-input.ts'
import type { PoolsCaches } from '../pools/inputs.ts'

type Cache<T extends KubeObject> = Pick<
  Informer<T>,
  'get' | 'list' | 'hasSynced' | 'synced' | 'subscribe'
>

/** The caches of this controller; it shares those of pools and user data. */
export interface ServerCertificatesCaches extends PoolsCaches {
  readonly trustRotations: Cache<TrustRotation>
  /** Whether the cluster serves TrustRotations. */
  readonly hasTrustRotations: () => boolean
  /** The record of the CAs in user data. */
  readonly userDataRecord: Cache<ConfigMap>
}

/** The only key is the name of the TrustRotation. */
export function serverCertificatesInputs(caches: ServerCertificatesCaches, clock: Clock): Input[] {
  const keys = (): string[] => [names.serverRotation]
  const independent = (resource: string, informer: Cache<KubeObject>): Input =>
    independentInput({ resource, informer, keys, clock })
  return [
    input({
      resource: 'ControllerConfig',
      informer: caches.controllerConfigs,
      keys: (change) => (isRelevantChange(change, relevantFields) ? keys() : []),
    }),
    input({
      resource: trustRotations.kind,
      informer: caches.trustRotations,
      keys: (change) => (isRelevantChange(change, ownFields) ? keys() : []),
    }),
    // The certificates must not depend on user data.
    independent('MachineConfigPool', caches.pools),
    independent('Secret', caches.userData),
    independent('Secret', caches.provisioning),
    independent('ConfigMap', caches.userDataRecord),
  ]
}

const relevantFields = ({ spec }: Readonly<ControllerConfig>): unknown => [
  spec.infra,
  spec.rootCAData,
]

const ownFields = ({ metadata, spec }: Readonly<TrustRotation>): unknown => [
  metadata.labels,
  metadata.deletionTimestamp,
  spec,
]
