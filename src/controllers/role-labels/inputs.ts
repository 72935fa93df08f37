import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { nodeAnnotations } from '../../api/annotations.ts'
import { distributionOf } from '../../api/distribution.ts'
import type {
  ControllerConfig,
  MachineConfig,
  MachineConfigPool,
} from '../../api/kinds/resources.ts'
import { configNameOf } from './facts.ts'

/** The informers may be shared with other controllers. */
export interface RoleLabelsCaches {
  readonly nodes: Informer<Node>
  readonly pools: Informer<MachineConfigPool>
  readonly machineConfigs: Informer<MachineConfig>
  readonly controllerConfigs: Informer<ControllerConfig>
}

/** Maps changes to nodes that have joined. */
export function roleLabelsInputs(caches: RoleLabelsCaches): Input[] {
  const { nodes, pools, machineConfigs, controllerConfigs } = caches
  const all = (): string[] =>
    nodes
      .list()
      .filter(hasConfig)
      .map(({ metadata }) => metadata.name)
  return [
    input({
      resource: 'Node',
      informer: nodes,
      keys: (change) => {
        const { object } = change
        const isRelevant =
          change.type !== 'deleted' && hasConfig(object) && isRelevantChange(change, relevantFields)
        return isRelevant ? [object.metadata.name] : []
      },
    }),
    input({
      resource: 'MachineConfigPool',
      informer: pools,
      keys: (change) => (isRelevantChange(change, ({ spec }) => spec.nodeSelector) ? all() : []),
    }),
    // Configs exist before the machines that boot with them, so no change enqueues a node.
    input({ resource: 'MachineConfig', informer: machineConfigs, keys: () => [] }),
    input({
      resource: 'ControllerConfig',
      informer: controllerConfigs,
      keys: (change) => (isRelevantChange(change, distributionOf) ? all() : []),
    }),
  ]
}

const hasConfig = (node: Readonly<Node>): boolean => configNameOf(node) !== undefined

const relevantFields = ({ metadata: { labels, annotations = {} } }: Readonly<Node>): unknown => [
  labels,
  annotations[nodeAnnotations.firstPivotConfig],
  annotations[nodeAnnotations.currentConfig],
]
