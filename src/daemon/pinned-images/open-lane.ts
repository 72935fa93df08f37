import { nodeRoleLabel } from '../../api/labels.ts'
import { pools } from '../../api/names.ts'
import type { KubeClient } from '@machinist/kube/client/client'
import type { OwnNode } from '../node/own-node.ts'
import { imageSetsIn } from './image-sets.ts'
import type { PinnedImagesLaneOptions } from './lane.ts'
import { PinnedImagesLane } from './lane.ts'
import { NodeReportWriter } from './node-report.ts'

export interface OpenLaneOptions extends Omit<
  PinnedImagesLaneOptions,
  'sets' | 'report' | 'workers'
> {
  readonly client: KubeClient
  readonly node: OwnNode
}

const defaultWorkers = 5
const controlPlane: readonly string[] = [pools.master, 'control-plane'].map(nodeRoleLabel)

/** Creates the lane for a cluster. Control plane nodes pull one image at a time, because etcd needs the disk. */
export function openLane(options: OpenLaneOptions): PinnedImagesLane {
  const { client, clock, node } = options
  const workers = (): number => {
    const labels = node.labels() ?? {}
    return controlPlane.some((label) => labels[label] !== undefined) ? 1 : defaultWorkers
  }
  const report = new NodeReportWriter(client, clock, node.name)
  return new PinnedImagesLane({ ...options, sets: imageSetsIn(client), report, workers })
}
