import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import type { Scheduler } from '../../api/openshift-config.ts'
import { isControlPlane } from './decide.ts'

/** The informers may be shared with other controllers. */
export interface ControlPlaneCaches {
  readonly nodes: Informer<Node>
  /** Empty if the cluster does not serve this kind. */
  readonly schedulers: Informer<Scheduler>
}

/** Maps changes to control plane nodes. */
export function controlPlaneInputs({ nodes, schedulers }: ControlPlaneCaches): Input[] {
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
