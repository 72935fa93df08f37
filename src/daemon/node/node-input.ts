import { sameJson } from '@machinist/core/encoding/json'
import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Change } from '@machinist/kube/informer/change'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'

/** Changes of the daemon's Node that decisions read. The kubelet updates the Node every few minutes. */
export function nodeInput(informer: Informer<Node>): Input {
  return input({
    resource: 'Node',
    informer,
    keys: (change) => (isIrrelevant(change) ? [] : [change.object.metadata.name]),
  })
}

function isIrrelevant(change: Change<Node>): boolean {
  if (change.type !== 'updated') return false
  return sameJson(relevantPart(change.before), relevantPart(change.object))
}

const relevantPart = ({ metadata, spec }: Readonly<Node>): unknown => [
  metadata.annotations,
  metadata.deletionTimestamp,
  spec?.unschedulable,
]
