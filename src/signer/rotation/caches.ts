import type { KubeObject } from '@machinist/core/objects/resource'
import type { Startable } from '@machinist/kube/controller/controller-set'
import { Informer } from '@machinist/kube/informer/informer'
import { OptionalSource } from '@machinist/kube/informer/optional-source'
import type { Node } from '@machinist/kube/kinds/core'
import type { ListWatch } from '@machinist/kube/list-watch'
import { nodeTrusts, trustRotations } from '../../api/kinds/resources.ts'
import type { CacheContext } from '../nodes/node-cache.ts'
import { trimNodeTrusts } from '../../fleet/rotation/node-report.ts'
import { FollowedObjects } from './followed-objects.ts'
import type { RotationCaches } from './inputs.ts'

/** The informers of the rotation controller, with the shared informer of Nodes; `keep` starts them. */
export function rotationCaches(
  context: CacheContext,
  nodes: Informer<Node>,
  keep: (informer: Startable) => void,
): RotationCaches {
  const { client, clock } = context
  const follow = <T extends KubeObject>(
    resource: string,
    source: ListWatch<T>,
    transform?: (object: T) => T,
  ): Informer<T> => {
    const informer = new Informer<T>({
      ...context,
      resource,
      source,
      ...(transform && { transform }),
    })
    keep(informer)
    return informer
  }
  const objects = new FollowedObjects(context)
  keep(objects)
  return {
    // A cluster without Machinist's CRDs has no rotations.
    rotations: follow(
      trustRotations.plural,
      new OptionalSource(client.listWatch(trustRotations), clock),
    ),
    nodeTrusts: follow(
      nodeTrusts.plural,
      new OptionalSource(client.listWatch(nodeTrusts), clock),
      trimNodeTrusts(),
    ),
    nodes,
    objects,
  }
}
