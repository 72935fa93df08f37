import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import { certificatesHeld, conditionOf } from '../../api/conditions.ts'
import type {
  ControllerConfig,
  MachineConfig,
  MachineConfigPool,
} from '../../api/kinds/resources.ts'
import { names } from '../../api/names.ts'
import type { SharedCache } from '../render/caches.ts'
import { deliveryOf } from './gather.ts'

/** The informers may be shared with other controllers. */
export interface HeldCertificatesCaches {
  readonly pools: SharedCache<MachineConfigPool>
  readonly machineConfigs: SharedCache<MachineConfig>
  readonly controllerConfigs: SharedCache<ControllerConfig>
}

/** Maps changes to pools. */
export function heldCertificatesInputs(caches: HeldCertificatesCaches): Input[] {
  const { pools, machineConfigs, controllerConfigs } = caches
  const all = (): string[] => pools.list().map(({ metadata }) => metadata.name)
  return [
    input({
      resource: 'MachineConfigPool',
      informer: pools,
      keys: (change) =>
        isRelevantChange(change, relevantPoolFields) ? [change.object.metadata.name] : [],
    }),
    input({
      resource: 'MachineConfig',
      informer: machineConfigs,
      // The cache may have a pool before its rendered config.
      keys: ({ object: { metadata } }) =>
        metadata.name.startsWith(names.renderedPrefix)
          ? pools
              .list()
              .filter((pool) => configsOf(pool).includes(metadata.name))
              .map((pool) => pool.metadata.name)
          : [],
    }),
    input({
      resource: 'ControllerConfig',
      informer: controllerConfigs,
      keys: (change) => (isRelevantChange(change, deliveryOf) ? all() : []),
    }),
  ]
}

const configsOf = ({ spec, status }: Readonly<MachineConfigPool>): (string | undefined)[] => [
  status?.configuration?.name,
  spec.configuration?.name,
]

const relevantPoolFields = (pool: Readonly<MachineConfigPool>): unknown => [
  pool.spec.paused === true,
  configsOf(pool),
  conditionOf(pool.status?.conditions, certificatesHeld),
]
