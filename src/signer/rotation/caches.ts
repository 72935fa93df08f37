import type { KubeObject } from '../../base/resource.ts'
import { nodeTrusts, trustRotations } from '../../api/resources.ts'
import type { Startable } from '../../kube/controller/controller-set.ts'
import { Informer } from '../../kube/informer/informer.ts'
import { OptionalSource } from '../../kube/informer/optional-source.ts'
import type { Node } from '../../kube/kinds/core.ts'
import type { ListWatch } from '../../kube/list-watch.ts'
import type { FollowOptions } from '../node-cache.ts'
import { FollowedObjects } from './followed-objects.ts'
import { trustsInBrief } from './node-told.ts'
import type { RotationCaches } from './rotation.ts'

/** What the rotations follow, with the Nodes that others follow, too; whatever has to be started is handed to `keep`. */
export function rotationCaches(
  options: FollowOptions,
  nodes: Informer<Node>,
  keep: (informer: Startable) => void,
): RotationCaches {
  const { client, clock } = options
  const follow = <T extends KubeObject>(
    resource: string,
    source: ListWatch<T>,
    transform?: (object: T) => T,
  ): Informer<T> => {
    const informer = new Informer<T>({
      ...options,
      resource,
      source,
      ...(transform && { transform }),
    })
    keep(informer)
    return informer
  }
  const objects = new FollowedObjects(options)
  keep(objects)
  return {
    // A cluster without our own kinds has nothing that rotates.
    rotations: follow(
      trustRotations.plural,
      new OptionalSource(client.listWatch(trustRotations), clock),
    ),
    nodeTrusts: follow(
      nodeTrusts.plural,
      new OptionalSource(client.listWatch(nodeTrusts), clock),
      trustsInBrief(),
    ),
    nodes,
    objects,
  }
}
