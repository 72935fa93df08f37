import { sameJson } from '@machinist/core/json'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Change } from '@machinist/kube/informer/change'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'

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
