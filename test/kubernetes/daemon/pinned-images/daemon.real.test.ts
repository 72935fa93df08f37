import {
  describeOnRealCluster,
  startPrivateCluster,
} from '@machinist/testing/clusters/real-cluster'
import { installKinds } from '../../../../src/process/install-kinds.ts'
import { pinnedNodeCases } from '../../../integration/daemon/pinned-images/cases.ts'

describeOnRealCluster('pinned images of a node at a real API server', () => {
  // There is one ControllerConfig per cluster, so this one is not shared.
  pinnedNodeCases(async () => {
    const cluster = await startPrivateCluster()
    await installKinds(cluster.kubeconfig)
    return cluster
  })
})
