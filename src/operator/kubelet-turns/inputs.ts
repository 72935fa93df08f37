import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { nodeFacts } from '@machinist/kube/nodes/node-facts'
import { isControlPlane } from '../../api/labels.ts'
import type { NodeTrust } from '../../api/kinds/resources.ts'

type Cache<T extends NodeTrust | Node> = Pick<Informer<T>, 'synced' | 'subscribe' | 'get' | 'list'>

/** Other controllers may share the informers. */
export interface KubeletTurnsCaches {
  readonly nodeTrusts: Cache<NodeTrust>
  readonly nodes: Cache<Node>
}

/** All turns depend on each other, so there is one key. */
const key = 'kubelet-restarts'

export function kubeletTurnsInputs({ nodeTrusts, nodes }: KubeletTurnsCaches): Input[] {
  return [
    input({
      resource: 'NodeTrust',
      informer: nodeTrusts,
      keys: (change) => (isRelevantChange(change, relevantTrust) ? [key] : []),
    }),
    input({
      resource: 'Node',
      informer: nodes,
      keys: (change) => (isRelevantChange(change, relevantNode) ? [key] : []),
    }),
  ]
}

const relevantTrust = ({ metadata, spec, status }: Readonly<NodeTrust>): unknown => [
  metadata.uid,
  spec?.kubeletRestart,
  status?.kubeletRestart,
]

const relevantNode = (node: Readonly<Node>): unknown => [
  isControlPlane(node.metadata.labels),
  nodeFacts(node).notReadySince === undefined,
]
