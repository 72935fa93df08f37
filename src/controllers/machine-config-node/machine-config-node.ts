import { nodeAnnotations } from '../../api/annotations.ts'
import type { MachineConfigNode, MachineConfigPool } from '../../api/resources.ts'
import type { KubeClient } from '@machinist/kube/client'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isNews } from '@machinist/kube/controller/news'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { settled } from '@machinist/kube/controller/outcome'
import type { Node } from '@machinist/kube/kinds/core'
import { act } from './act.ts'
import { decide } from './decide.ts'
import type { MachineConfigNodeCaches } from './gather.ts'
import { gather } from './gather.ts'

export interface MachineConfigNodeOptions {
  readonly client: KubeClient
  readonly caches: MachineConfigNodeCaches
}

/** One MachineConfigNode for each Node, with what the cluster wants of it. The key is the node's name. */
export function machineConfigNodeController({
  client,
  caches,
}: MachineConfigNodeOptions): Controller {
  return {
    name: 'machine-config-node',
    inputs: inputsOf(caches),
    outputs: ['MachineConfigNode'],
    // A new cluster makes as many at once as it has nodes.
    workers: 4,
    reconcile: (name, context) => reconcile(name, context, client, caches),
  }
}

async function reconcile(
  name: string,
  { log, signal }: ReconcileContext,
  client: KubeClient,
  caches: MachineConfigNodeCaches,
): Promise<Outcome> {
  const plan = decide(await gather(caches, client, name, signal))
  if (plan.type === 'nothing') return settled
  log.debug('a MachineConfigNode is not as it should be', { does: plan.type, why: plan.because })
  await act(client, name, plan, signal)
  return settled
}

function inputsOf({ nodes, pools, machineConfigNodes }: MachineConfigNodeCaches): Input[] {
  return [
    input({
      resource: 'Node',
      informer: nodes,
      keys: (change) => (isNews(change, ofNode) ? [change.object.metadata.name] : []),
    }),
    input({
      resource: 'MachineConfigNode',
      informer: machineConfigNodes,
      keys: (change) => (isNews(change, ofRecord) ? [change.object.metadata.name] : []),
    }),
    input({
      resource: 'MachineConfigPool',
      informer: pools,
      // Only a selector moves nodes, and then nobody knows which. At the start they are told of by themselves.
      keys: (change) => {
        const isInitial = change.type === 'added' && change.initial
        if (isInitial || !isNews(change, ofPool)) return []
        return nodes.list().map(({ metadata }) => metadata.name)
      },
    }),
  ]
}

/** Heartbeats and reports are none of it. */
const ofNode = ({ metadata }: Readonly<Node>): unknown => [
  metadata.labels,
  metadata.annotations?.[nodeAnnotations.desiredConfig],
  metadata.annotations?.[nodeAnnotations.desiredImage],
]

/** Everything but its status, which is the daemon's and the drain's. */
const ofRecord = ({ metadata, spec }: Readonly<MachineConfigNode>): unknown => [
  metadata.ownerReferences,
  spec,
]

const ofPool = ({ metadata, spec }: Readonly<MachineConfigPool>): unknown => [
  metadata.deletionTimestamp,
  spec.nodeSelector,
]
