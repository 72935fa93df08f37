import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import type { RenderCaches } from '../render/caches.ts'

/** The informers may be shared with other controllers. */
export type UnselectedConfigsCaches = Pick<RenderCaches, 'machineConfigs' | 'pools'>

/** Maps changes to MachineConfigs. */
export function unselectedConfigsInputs(caches: UnselectedConfigsCaches): Input[] {
  const { machineConfigs, pools } = caches
  const all = (): string[] => machineConfigs.list().map(({ metadata }) => metadata.name)
  return [
    input({
      resource: 'MachineConfig',
      informer: machineConfigs,
      keys: ({ object }) => [object.metadata.name],
    }),
    input({
      resource: 'MachineConfigPool',
      informer: pools,
      keys: (change) => (isRelevantChange(change, selectorOf) ? all() : []),
    }),
  ]
}

const selectorOf = ({ metadata, spec }: Readonly<MachineConfigPool>): unknown => [
  metadata.deletionTimestamp,
  spec.machineConfigSelector,
]
