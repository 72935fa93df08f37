import { nodeRoleLabel } from '../../api/labels.ts'
import { pools } from '../../api/names.ts'
import type { KubeClient } from '@machinist/kube/client'
import type { OwnNode } from '../follow/own-node.ts'
import { imageSetsIn } from './image-sets.ts'
import type { LaneOptions } from './lane.ts'
import { PinnedImagesLane } from './lane.ts'
import { NodeReport } from './node-report.ts'

export interface OpenLaneOptions extends Omit<LaneOptions, 'sets' | 'report' | 'workers'> {
  readonly client: KubeClient
  readonly node: OwnNode
}

const usualWorkers = 5
const controlPlane: readonly string[] = [pools.master, 'control-plane'].map(nodeRoleLabel)

/** With the cluster's API on the other side. On the control plane one pull at a time: etcd needs the disk more. */
export function openLane(options: OpenLaneOptions): PinnedImagesLane {
  const { client, clock, node } = options
  const workers = (): number => {
    const labels = node.labels() ?? {}
    return controlPlane.some((label) => labels[label] !== undefined) ? 1 : usualWorkers
  }
  const report = new NodeReport(client, clock, node.name)
  return new PinnedImagesLane({ ...options, sets: imageSetsIn(client), report, workers })
}
