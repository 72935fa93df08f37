import type { Clock } from '@machinist/core/clock'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { conditionOf, poolConditions } from '../../api/conditions.ts'
import type {
  MachineConfigNode,
  MachineConfigPool,
  PinnedImageSet,
} from '../../api/kinds/resources.ts'
import { batchInput } from '../rollout/batched-input.ts'
import type { PinnedTally } from './tally.ts'

/** The informers may be shared with other controllers. */
export interface PinnedImagesCaches {
  readonly pools: Informer<MachineConfigPool>
  readonly nodes: Informer<Node>
  readonly machineConfigNodes: Informer<MachineConfigNode>
  readonly pinnedImageSets: Informer<PinnedImageSet>
}

/** Maps changes to pools. Updates the tally first, so that it never lags behind the queue. Reports of nodes are batched. */
export function pinnedImagesInputs(
  caches: PinnedImagesCaches,
  tally: PinnedTally,
  clock: Clock,
  batchMs: number,
): Input[] {
  return [
    ...objectInputs(caches, tally),
    ...nodeInputs(caches, tally).map((each) => batchInput(each, clock, batchMs)),
  ]
}

function objectInputs({ pools, pinnedImageSets }: PinnedImagesCaches, tally: PinnedTally): Input[] {
  return [
    input({
      resource: 'MachineConfigPool',
      informer: pools,
      keys: (change) => {
        const { name } = change.object.metadata
        if (change.type === 'deleted') return [name, ...tally.removePool(name)]
        const changed = isRelevantChange(change, nodeSelectionOf)
          ? tally.putPool(change.object)
          : []
        return isRelevantChange(change, relevantPoolFields) ? new Set([name, ...changed]) : changed
      },
    }),
    input({
      resource: 'PinnedImageSet',
      informer: pinnedImageSets,
      // There are few pools, and any of them may have selected it before.
      keys: (change) =>
        isRelevantChange(change, versionOfSet)
          ? pools.list().map(({ metadata }) => metadata.name)
          : [],
    }),
  ]
}

function nodeInputs(
  { nodes, machineConfigNodes }: PinnedImagesCaches,
  tally: PinnedTally,
): Input[] {
  return [
    input({
      resource: 'Node',
      informer: nodes,
      keys: (change) =>
        change.type === 'deleted'
          ? tally.removeNode(change.object.metadata.name)
          : tally.putNode(change.object),
    }),
    input({
      resource: 'MachineConfigNode',
      informer: machineConfigNodes,
      keys: ({ type, object }) =>
        tally.setReport(object.metadata.name, type === 'deleted' ? undefined : object.status),
    }),
  ]
}

/** The fields that move nodes between pools. */
const nodeSelectionOf = ({ metadata, spec }: Readonly<MachineConfigPool>): unknown => [
  spec.nodeSelector,
  metadata.deletionTimestamp,
]

/** Includes the fields that this controller writes, because another writer may change them. */
const relevantPoolFields = ({ metadata, status }: Readonly<MachineConfigPool>): unknown => [
  metadata.generation,
  metadata.deletionTimestamp,
  status?.poolSynchronizersStatus,
  conditionOf(status?.conditions, poolConditions.pinnedImageSetsDegraded),
]

const versionOfSet = ({ metadata }: Readonly<PinnedImageSet>): unknown => [
  metadata.uid,
  metadata.generation,
  metadata.labels,
  metadata.deletionTimestamp,
]
