import { sameJson } from '../../base/json.ts'
import type { Input } from '../../kube/controller/controller.ts'
import { input } from '../../kube/controller/controller.ts'
import type { Change } from '../../kube/informer/change.ts'
import type { Informer } from '../../kube/informer/informer.ts'
import type { Node } from '../../kube/kinds/core.ts'

/** Changes of our Node that may mean work. A kubelet writes every few minutes without saying anything to us. */
export function nodeInput(informer: Informer<Node>): Input {
  return input({
    resource: 'Node',
    informer,
    keys: (change) => (saysNothingNew(change) ? [] : [change.object.metadata.name]),
  })
}

function saysNothingNew(change: Change<Node>): boolean {
  if (change.type !== 'updated') return false
  return sameJson(tellingOf(change.before), tellingOf(change.object))
}

const tellingOf = ({ metadata, spec }: Readonly<Node>): unknown => [
  metadata.annotations,
  metadata.deletionTimestamp,
  spec?.unschedulable,
]
