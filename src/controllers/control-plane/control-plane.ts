import { names } from '../../api/names.ts'
import type { Scheduler } from '../../api/openshift-config.ts'
import { Waiting } from '../../base/errors.ts'
import type { KubeClient } from '../../kube/client.ts'
import type { Controller, Input, ReconcileContext } from '../../kube/controller/controller.ts'
import { input } from '../../kube/controller/controller.ts'
import { isNews } from '../../kube/controller/news.ts'
import type { Outcome } from '../../kube/controller/outcome.ts'
import { settled } from '../../kube/controller/outcome.ts'
import { isConflict, isNotFound } from '../../kube/failure.ts'
import { catchUpMs } from '../../kube/informer/catch-up.ts'
import type { Informer } from '../../kube/informer/informer.ts'
import type { Node } from '../../kube/kinds/core.ts'
import { nodes as nodeResource } from '../../kube/kinds/core.ts'
import { mergePatch } from '../../kube/patch.ts'
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
