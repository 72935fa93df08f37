import type { KubeObject } from '@machinist/core/resource'
import { nodeTrusts, trustRotations } from '../../api/resources.ts'
import type { Startable } from '@machinist/kube/controller/controller-set'
import { Informer } from '@machinist/kube/informer/informer'
import { OptionalSource } from '@machinist/kube/informer/optional-source'
import type { Node } from '@machinist/kube/kinds/core'
import type { ListWatch } from '@machinist/kube/list-watch'
import type { FollowOptions } from '../node-cache.ts'
import { FollowedObjects } from './followed-objects.ts'
import { trustsInBrief } from '../../fleet/rotation/node-told.ts'
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
