import { names } from '../../api/names.ts'
import type { Scheduler } from '../../api/openshift-config.ts'
import { Waiting } from '@machinist/core/errors'
import type { KubeClient } from '@machinist/kube/client'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isNews } from '@machinist/kube/controller/news'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { settled } from '@machinist/kube/controller/outcome'
import { isConflict, isNotFound } from '@machinist/kube/failure'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { nodes as nodeResource } from '@machinist/kube/kinds/core'
import { mergePatch } from '@machinist/kube/patch'
import { decide, isControlPlane } from './decide.ts'

/** What it follows; the informers may be shared with others. */
export interface ControlPlaneCaches {
  readonly nodes: Informer<Node>
  /** Empty where the cluster has no such kind. */
  readonly schedulers: Informer<Scheduler>
}

export interface ControlPlaneOptions {
  readonly client: KubeClient
  readonly caches: ControlPlaneCaches
}

/** Labels and taints of control plane nodes. The key is the node's name. */
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
    throw new Waiting('NodeChanged', `node ${name} was changed in between`, catchUpMs)
  }
  const { labels = {} } = change.metadata
  log.info('put the roles of a control plane node right', { labels: Object.keys(labels).join() })
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
        return isNews(change, said) ? [object.metadata.name] : []
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

const said = ({ metadata, spec }: Readonly<Node>): unknown => [metadata.labels, spec?.taints]
