import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/log.ts'
import type { Metrics } from '../../base/metrics.ts'
import type { Random } from '../../base/random.ts'
import type { KubeObject, Resource } from '../../base/resource.ts'
import type { KubeClient } from '../../kube/client.ts'
import { Informer } from '../../kube/informer/informer.ts'
import type { Indexes } from '../../kube/informer/store.ts'
import type { Deployment, ReplicaSet } from '../../kube/kinds/apps.ts'
import { deployments, replicaSets } from '../../kube/kinds/apps.ts'
import type { Node, Pod } from '../../kube/kinds/core.ts'
import { nodes, pods } from '../../kube/kinds/core.ts'

export interface Tools {
  readonly client: KubeClient
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
}

/** What the stand-ins see of the cluster. */
export interface StandInCaches {
  readonly nodes: Informer<Node>
  /** By node and by owner. */
  readonly pods: Informer<Pod>
  readonly deployments: Informer<Deployment>
  /** By owner. */
  readonly replicaSets: Informer<ReplicaSet>
}

/** Pods on a node; those that have none yet are under ''. */
export const byNode = 'node'
/** By the uid of who controls them. */
export const byOwner = 'owner'

export function standInCaches(
  { client, ...tools }: Tools,
  keep: (informer: Pick<Informer<KubeObject>, 'start'>) => void,
): StandInCaches {
  const follow = <T extends KubeObject>(
    resource: Resource<T>,
    indexes: Indexes<T> = {},
  ): Informer<T> => {
    const source = client.listWatch(resource)
    const informer = new Informer<T>({ ...tools, resource: resource.plural, source, indexes })
    keep(informer)
    return informer
  }
  return {
    nodes: follow(nodes),
    pods: follow(pods, { [byNode]: ({ spec }) => [spec?.nodeName ?? ''], [byOwner]: ownersOf }),
    deployments: follow(deployments),
    replicaSets: follow(replicaSets, { [byOwner]: ownersOf }),
  }
}

/** Whose it is: the uid of its controller, if it has one. */
export function ownersOf({ metadata }: Readonly<KubeObject>): string[] {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller)
  return owner ? [owner.uid] : []
}
