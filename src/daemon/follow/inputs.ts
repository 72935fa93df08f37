import type { Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import type { Trigger } from '@machinist/kube/controller/trigger'
import type { Node } from '@machinist/kube/kinds/core'
import type { DriftWatch } from '../drift/drift-watch.ts'
import type { OwnNode } from '../node/own-node.ts'
import type { TrustView } from '../trust/view/trust-view.ts'
import type { FollowMemory } from './memory.ts'

export interface FollowInputSources {
  readonly node: Pick<OwnNode, 'name' | 'informer'>
  readonly trust: TrustView
  /** Triggered by the drift watch. */
  readonly disk: Trigger
  readonly driftWatch: DriftWatch
  readonly memory: FollowMemory
}

/** All changes enqueue the Node of this machine. */
export const followInputs = (sources: FollowInputSources): Input[] => [
  nodeInput(sources),
  diskInput(sources),
  deliveryInput(sources),
]

/** The kubelet updates the Node every few minutes, and decisions do not read that. */
const nodeInput = ({ node: { name, informer } }: FollowInputSources): Input =>
  input({
    resource: 'Node',
    informer,
    keys: (change) => (isRelevantChange(change, relevantFields) ? [name] : []),
    // A restore of etcd may have reverted the last report.
    relisted: () => [name],
  })

const relevantFields = ({ metadata, spec }: Readonly<Node>): unknown => [
  metadata.annotations,
  metadata.deletionTimestamp,
  spec?.unschedulable,
]

/** Changes of watched files, and the periodic sweep. The watch ends with the controller. */
const diskInput = ({ disk, driftWatch }: FollowInputSources): Input => ({
  resource: disk.resource,
  synced: () => disk.synced(),
  subscribe: (enqueue) => {
    const unsubscribe = disk.subscribe(enqueue)
    return () => {
      unsubscribe()
      driftWatch.pause()
    }
  },
})

/** The delivery of certificates decides which files of the config are verified. */
const deliveryInput = ({ trust, memory, node }: FollowInputSources): Input => ({
  resource: 'ControllerConfig',
  synced: () => Promise.resolve(true),
  subscribe: (enqueue) => {
    let { delivery } = trust
    return trust.subscribe(() => {
      if (trust.delivery === delivery) return
      delivery = trust.delivery
      memory.invalidateChecked()
      enqueue(node.name, 0)
    })
  },
})
