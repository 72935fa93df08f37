import type { Clock } from '@machinist/core/clock'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Change } from '@machinist/kube/informer/change'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import type { NodeTrust, TrustRotation } from '../../api/kinds/resources.ts'
import { trustRotations } from '../../api/kinds/resources.ts'
import type { NodeEvidence } from './evidence/node-evidence.ts'
import type { FollowedObjects } from './followed-objects.ts'

export interface RotationCaches {
  readonly rotations: Informer<TrustRotation>
  readonly nodes: Informer<Node>
  readonly nodeTrusts: Informer<NodeTrust>
  readonly objects: FollowedObjects
}

/** Maps changes to rotations. Updates the evidence first, so that it never lags behind the queue. */
export function rotationInputs(
  { rotations, nodes, nodeTrusts, objects }: RotationCaches,
  evidence: NodeEvidence,
  clock: Clock,
): Input[] {
  const nodeChanged = ({ object }: { readonly object: Readonly<Node | NodeTrust> }): string[] =>
    evidence.nodeChanged(object.metadata.name, clock.now())
  return [
    input({
      resource: trustRotations.kind,
      informer: rotations,
      keys: (change) => {
        const { name } = change.object.metadata
        const all = rotations.list().map(({ metadata }) => metadata.name)
        return isStatusChange(change) ? [name] : new Set([name, ...all])
      },
    }),
    input({ resource: 'Node', informer: nodes, keys: nodeChanged }),
    input({ resource: 'NodeTrust', informer: nodeTrusts, keys: nodeChanged }),
    ...objects.inputs,
  ]
}

/** A change of a spec may concern all rotations, because they may share objects; a change of a status only its own. */
const isStatusChange = (change: Change<TrustRotation>): boolean =>
  change.type === 'updated' &&
  change.before.metadata.generation === change.object.metadata.generation
