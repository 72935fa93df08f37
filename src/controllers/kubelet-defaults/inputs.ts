import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import { conditionOf, kubeletDefaultsDegraded } from '../../api/conditions.ts'
import type { MachineConfigPool } from '../../api/kinds/resources.ts'
import { isBuiltIn } from '../node-settings/pool-settings.ts'
import { templateInputs } from '../node-settings/templates.ts'
import type { SharedCache } from '../render/caches.ts'
import type { DefaultsCaches } from './cluster-settings.ts'
import { clusterInputs } from './cluster-settings.ts'
import { isLayer, kubeletBase } from './layers.ts'

export interface KubeletDefaultsCaches extends DefaultsCaches {
  readonly pools: SharedCache<MachineConfigPool>
}

/** A pool enqueues itself; everything else enqueues all pools. */
export function kubeletDefaultsInputs(caches: KubeletDefaultsCaches): Input[] {
  const { pools } = caches
  const all = (): string[] => pools.list().map(({ metadata }) => metadata.name)
  return [
    input({
      resource: 'MachineConfigPool',
      informer: pools,
      keys: (change) => {
        if (!isRelevantChange(change, relevantPool)) return []
        const { name } = change.object.metadata
        // Custom pools depend on whether the built-in pool exists.
        const comesOrGoes = isBuiltIn(name) && isRelevantChange(change, deletionOf)
        return comesOrGoes ? [name, ...all()] : [name]
      },
    }),
    ...templateInputs(caches, kubeletBase, ({ metadata }) => isLayer(metadata.name), all),
    ...clusterInputs(caches, all),
  ]
}

const relevantPool = ({ metadata, spec, status }: Readonly<MachineConfigPool>): unknown => [
  metadata.deletionTimestamp,
  spec.machineConfigSelector,
  conditionOf(status?.conditions, kubeletDefaultsDegraded),
]

const deletionOf = ({ metadata }: Readonly<MachineConfigPool>): unknown =>
  metadata.deletionTimestamp
