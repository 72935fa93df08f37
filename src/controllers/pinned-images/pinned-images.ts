import { conditionOf, poolConditions } from '../../api/conditions.ts'
import { versionOf } from '../../api/pinned-images.ts'
import type { MachineConfigNode, MachineConfigPool, PinnedImageSet } from '../../api/resources.ts'
import type { Clock } from '@machinist/core/clock'
import type { Gauge, Metrics } from '@machinist/core/metrics'
import type { KubeClient } from '@machinist/kube/client'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isNews } from '@machinist/kube/controller/news'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { batched } from '../rollout/batched-input.ts'
import { act } from './act.ts'
import { decide } from './decide.ts'
import { listedSets, setsOf } from './select.ts'
import { PinnedTally } from './tally.ts'

/** What it follows; the informers may be shared with others. */
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
  /** How long reports of nodes are collected before a pool counts them anew; 5 seconds. */
  readonly batchMs?: number
}

const usualBatchMs = 5000
/** What was refused may be allowed later without that anything changes here. */
const refusedMs = 300_000

type Behind = Gauge<'pool' | 'state'>

/** Which image sets a pool has, and how far its nodes are. Its keys are names of pools. One for each run. */
export function pinnedImagesController(options: PinnedImagesOptions): Controller {
  const { caches, clock, batchMs = usualBatchMs } = options
  const tally = new PinnedTally()
  const behind: Behind = options.metrics.gauge({
    name: 'machinist_pinned_images_nodes_behind',
    help: 'Nodes of a pool without all images that it pins: on their way (pending), or unable to get them (failed).',
    labels: ['pool', 'state'],
  })
  return {
    name: 'pinned-images',
    inputs: [
      ...objectInputs(caches, tally),
      ...nodeInputs(caches, tally).map((each) => batched(each, clock, batchMs)),
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
  behind: Behind,
): Promise<Outcome> {
  const pool = caches.pools.get(name)
  if (!pool || pool.metadata.deletionTimestamp) {
    show(behind, name, undefined)
    return settled
  }
  const { pinnedImageSets } = caches
  const selection = setsOf(pool, pinnedImageSets.list())
  // While nobody knows what it should list, its nodes keep what it does.
  const sets =
    'sets' in selection ? selection.sets : listedSets(pool, (set) => pinnedImageSets.get(set))
  tally.want(name, sets.map(versionOf))
  const plan = decide({ pool, selection, counts: tally.counts(name) })
  show(behind, name, plan.counts)
  if (plan.list !== undefined) {
    log.info('a pool pins other images', { sets: (plan.list ?? []).map((set) => set.name).join() })
  }
  const { refused } = await act(client, pool, plan, signal)
  return refused ? requeueAfter(refusedMs) : settled
}

function show(behind: Behind, pool: string, counts: ReturnType<typeof decide>['counts']): void {
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
        const changed = isNews(change, nodesOf) ? tally.putPool(change.object) : []
        return isNews(change, sayingOf) ? new Set([name, ...changed]) : changed
      },
    }),
    input({
      resource: 'PinnedImageSet',
      informer: pinnedImageSets,
      // There are few pools, and nobody knows which of them had it before.
      keys: (change) =>
        isNews(change, versionOfSet) ? pools.list().map(({ metadata }) => metadata.name) : [],
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
        tally.tell(object.metadata.name, type === 'deleted' ? undefined : object.status),
    }),
  ]
}

/** What moves nodes between pools. */
const nodesOf = ({ metadata, spec }: Readonly<MachineConfigPool>): unknown => [
  spec.nodeSelector,
  metadata.deletionTimestamp,
]

/** Also what is written here: somebody may have changed it. */
const sayingOf = ({ metadata, status }: Readonly<MachineConfigPool>): unknown => [
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
