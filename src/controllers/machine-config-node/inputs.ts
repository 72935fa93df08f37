import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { nodeAnnotations } from '../../api/annotations.ts'
import type { MachineConfigNode, MachineConfigPool } from '../../api/kinds/resources.ts'

/** The informers may be shared with other controllers. */
export interface MachineConfigNodeCaches {
  readonly nodes: Informer<Node>
  readonly pools: Informer<MachineConfigPool>
  readonly machineConfigNodes: Informer<MachineConfigNode>
}

/** Maps changes to nodes. */
export function machineConfigNodeInputs(caches: MachineConfigNodeCaches): Input[] {
  const { nodes, pools, machineConfigNodes } = caches
  return [
    input({
      resource: 'Node',
      informer: nodes,
      keys: (change) =>
        isRelevantChange(change, relevantNodeFields) ? [change.object.metadata.name] : [],
    }),
    input({
      resource: 'MachineConfigNode',
      informer: machineConfigNodes,
      keys: (change) =>
        isRelevantChange(change, relevantFields) ? [change.object.metadata.name] : [],
    }),
    input({
      resource: 'MachineConfigPool',
      informer: pools,
      // A changed selector may move any node. At the start the Node informer enqueues all nodes.
      keys: (change) => {
        const isInitial = change.type === 'added' && change.initial
        if (isInitial || !isRelevantChange(change, relevantPoolFields)) return []
        return nodes.list().map(({ metadata }) => metadata.name)
      },
    }),
  ]
}

/** Without heartbeats and reports. */
const relevantNodeFields = ({ metadata }: Readonly<Node>): unknown => [
  metadata.labels,
  metadata.annotations?.[nodeAnnotations.desiredConfig],
  metadata.annotations?.[nodeAnnotations.desiredImage],
]

/** Without the status, which the daemon and the drain controller write. */
const relevantFields = ({ metadata, spec }: Readonly<MachineConfigNode>): unknown => [
  metadata.ownerReferences,
  spec,
]

const relevantPoolFields = ({ metadata, spec }: Readonly<MachineConfigPool>): unknown => [
  metadata.deletionTimestamp,
  spec.nodeSelector,
]
