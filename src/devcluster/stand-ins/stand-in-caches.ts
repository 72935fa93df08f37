import type { KubeObject, Resource } from '@machinist/core/objects/resource'
import { Informer } from '@machinist/kube/informer/informer'
import type { Indexes } from '@machinist/kube/informer/store'
import type { Deployment, ReplicaSet } from '@machinist/kube/kinds/apps'
import { deployments, replicaSets } from '@machinist/kube/kinds/apps'
import type { Node, Pod } from '@machinist/kube/kinds/core'
import { nodes, pods } from '@machinist/kube/kinds/core'
import type { DevclusterTools } from '../objects/tools.ts'

/** The caches of the stand-ins. */
export interface StandInCaches {
  readonly nodes: Informer<Node>
  /** Indexed by node and owner. */
  readonly pods: Informer<Pod>
  readonly deployments: Informer<Deployment>
  /** Indexed by owner. */
  readonly replicaSets: Informer<ReplicaSet>
}

/** Index of pods by node; unscheduled pods are under ''. */
export const byNode = 'node'
/** Index by the uid of the controlling owner. */
export const byOwner = 'owner'

export function standInCaches(
  { client, ...tools }: DevclusterTools,
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

/** The uid of the controlling owner, if there is one. */
export function ownersOf({ metadata }: Readonly<KubeObject>): string[] {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller)
  return owner ? [owner.uid] : []
}
