import { nodeAnnotations } from '../../api/annotations.ts'
import type { MachineConfigNode, MachineConfigPool } from '../../api/kinds/resources.ts'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
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

/** Maintains the spec of one MachineConfigNode per Node. Keys are node names. */
export function machineConfigNodeController({
  client,
  caches,
}: MachineConfigNodeOptions): Controller {
  return {
    name: 'machine-config-node',
    inputs: inputsOf(caches),
    outputs: ['MachineConfigNode'],
    // A new cluster creates one per node at once.
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
  if (plan.action === 'nothing') return settled
  log.debug('write MachineConfigNode', { action: plan.action, why: plan.because })
  await act(client, name, plan, signal)
  return settled
}

function inputsOf({ nodes, pools, machineConfigNodes }: MachineConfigNodeCaches): Input[] {
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
