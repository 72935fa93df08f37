import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import type { KubeObject, Resource } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import { Informer } from '@machinist/kube/informer/informer'
import type { Indexes } from '@machinist/kube/informer/store'
import type { Deployment, ReplicaSet } from '@machinist/kube/kinds/apps'
import { deployments, replicaSets } from '@machinist/kube/kinds/apps'
import type { Node, Pod } from '@machinist/kube/kinds/core'
import { nodes, pods } from '@machinist/kube/kinds/core'

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
