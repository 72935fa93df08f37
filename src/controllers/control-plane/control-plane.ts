import { names } from '../../api/names.ts'
import type { Scheduler } from '../../api/openshift-config.ts'
import { Waiting } from '@machinist/core/errors'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { settled } from '@machinist/kube/controller/outcome'
import { isConflict, isNotFound } from '@machinist/kube/failure'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes as nodeResource } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { decide, isControlPlane } from './decide.ts'

/** The informers may be shared with other controllers. */
export interface ControlPlaneCaches {
  readonly nodes: Informer<Node>
  /** Empty if the cluster does not serve this kind. */
  readonly schedulers: Informer<Scheduler>
}

export interface ControlPlaneOptions {
  readonly client: KubeClient
  readonly caches: ControlPlaneCaches
}

/** Maintains labels and taints of control plane nodes. Keys are node names. */
export function controlPlaneController({ client, caches }: ControlPlaneOptions): Controller {
  return {
    name: 'control-plane',
    inputs: inputsOf(caches),
    outputs: ['Node'],
    reconcile: (name, context) => reconcile(name, context, client, caches),
  }
}

async function reconcile(
  name: string,
  { log, signal }: ReconcileContext,
  client: KubeClient,
  { nodes, schedulers }: ControlPlaneCaches,
): Promise<Outcome> {
  const node = nodes.get(name)
  const scheduler = schedulers.get(names.clusterConfig)
  const change = node && decide(node, scheduler && scheduler.spec?.mastersSchedulable === true)
  if (!change) return settled
  try {
    await client.patch(nodeResource, { name }, mergePatch(change), { signal })
  } catch (error) {
    if (isNotFound(error)) return settled
    if (!isConflict(error)) throw error
    throw new Waiting('NodeChanged', `node ${name} changed during the reconcile`, catchUpMs)
  }
  const { labels = {} } = change.metadata
  log.info('updated roles of control plane node', { labels: Object.keys(labels).join() })
  return settled
}

function inputsOf({ nodes, schedulers }: ControlPlaneCaches): Input[] {
  return [
    input({
      resource: 'Node',
      informer: nodes,
      keys: (change) => {
        const { object } = change
        if (change.type === 'deleted' || !isControlPlane(object)) return []
        return isRelevantChange(change, relevantFields) ? [object.metadata.name] : []
      },
    }),
    input({
      resource: 'Scheduler',
      informer: schedulers,
      keys: () =>
        nodes
          .list()
          .filter(isControlPlane)
          .map(({ metadata }) => metadata.name),
    }),
  ]
}

const relevantFields = ({ metadata, spec }: Readonly<Node>): unknown => [
  metadata.labels,
  spec?.taints,
]
