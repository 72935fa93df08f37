import { conditionOf, poolConditions } from '../../api/conditions.ts'
import { pinnedImageSetVersionOf } from '../../api/pinned-images.ts'
import type {
  MachineConfigNode,
  MachineConfigPool,
  PinnedImageSet,
} from '../../api/kinds/resources.ts'
import type { Clock } from '@machinist/core/clock'
import type { Gauge, Metrics } from '@machinist/core/metrics'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { batchInput } from '../rollout/batched-input.ts'
import { act } from './act.ts'
import { decide } from './decide.ts'
import { listedSets, setsOf } from './select.ts'
import { PinnedTally } from './tally.ts'

/** The informers may be shared with other controllers. */
export interface PinnedImagesCaches {
  readonly pools: Informer<MachineConfigPool>
  readonly nodes: Informer<Node>
  readonly machineConfigNodes: Informer<MachineConfigNode>
  readonly pinnedImageSets: Informer<PinnedImageSet>
}

export interface PinnedImagesOptions {
  readonly client: KubeClient
  readonly caches: PinnedImagesCaches
  readonly clock: Clock
  readonly metrics: Metrics
  /** How long reports of nodes are batched before a pool is reconciled; 5 seconds by default. */
  readonly batchMs?: number
}

const defaultBatchMs = 5000
/** Requeue interval after a rejected write: no event announces changed RBAC or admission rules. */
const requeueMs = 300_000

type NodesBehind = Gauge<'pool' | 'state'>

/** Sets the PinnedImageSets of pools and reports the progress of their nodes. Keys are pool names. Create one per run. */
export function pinnedImagesController(options: PinnedImagesOptions): Controller {
  const { caches, clock, batchMs = defaultBatchMs } = options
  const tally = new PinnedTally()
  const behind: NodesBehind = options.metrics.gauge({
    name: 'machinist_pinned_images_nodes_behind',
    help: 'Number of nodes in a pool without all pinned images: in progress (pending), or unable to pull them (failed).',
    labels: ['pool', 'state'],
  })
  return {
    name: 'pinned-images',
    inputs: [
      ...objectInputs(caches, tally),
      ...nodeInputs(caches, tally).map((each) => batchInput(each, clock, batchMs)),
    ],
    outputs: ['MachineConfigPool'],
    reconcile: (name, context) => reconcile(name, context, options, tally, behind),
  }
}

async function reconcile(
  name: string,
  { signal, log }: ReconcileContext,
  { client, caches }: PinnedImagesOptions,
  tally: PinnedTally,
  behind: NodesBehind,
): Promise<Outcome> {
  const pool = caches.pools.get(name)
  if (!pool || pool.metadata.deletionTimestamp) {
    setBehind(behind, name, undefined)
    return settled
  }
  const { pinnedImageSets } = caches
  const selection = setsOf(pool, pinnedImageSets.list())
  // With an invalid selector the nodes keep the listed sets.
  const sets =
    'sets' in selection ? selection.sets : listedSets(pool, (set) => pinnedImageSets.get(set))
  tally.setDesired(name, sets.map(pinnedImageSetVersionOf))
  const plan = decide({ pool, selection, counts: tally.counts(name) })
  setBehind(behind, name, plan.counts)
  if (plan.list !== undefined) {
    log.info('set pinnedImageSets of pool', {
      sets: (plan.list ?? []).map((set) => set.name).join(),
    })
  }
  const { refused } = await act(client, pool, plan, signal)
  return refused ? requeueAfter(requeueMs) : settled
}

function setBehind(
  behind: NodesBehind,
  pool: string,
  counts: ReturnType<typeof decide>['counts'],
): void {
  if (!counts) {
    behind.forget({ pool, state: 'pending' })
    behind.forget({ pool, state: 'failed' })
    return
  }
  const { machine, updated, failed } = counts
  behind.set({ pool, state: 'pending' }, machine - updated - failed)
  behind.set({ pool, state: 'failed' }, failed)
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
