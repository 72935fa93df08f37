import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { nodeRoleLabel } from '../../api/labels.ts'
import { pools } from '../../api/names.ts'
import type { OwnNode } from '../node/own-node.ts'
import { imageSetsIn } from './image-sets.ts'
import type { PinnedImagesTools } from './late-steps.ts'
import { NodeReportWriter } from './node-report.ts'

const defaultWorkers = 5
const controlPlane: readonly string[] = [pools.master, 'control-plane'].map(nodeRoleLabel)

/** Control plane nodes pull one image at a time, because etcd needs the disk. */
export function clusterTools(
  { client, clock }: Pick<ControllerContext, 'client' | 'clock'>,
  node: Pick<OwnNode, 'name' | 'labels'>,
): PinnedImagesTools {
  const workers = (): number => {
    const labels = node.labels() ?? {}
    return controlPlane.some((label) => labels[label] !== undefined) ? 1 : defaultWorkers
  }
  const writer = new NodeReportWriter(client, clock, node.name)
  return { sets: imageSetsIn(client), writer, workers }
}
