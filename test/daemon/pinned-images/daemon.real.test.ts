import { installKinds } from '../../../src/cli/install-kinds.ts'
import { describeOnRealCluster, startPrivateCluster } from '../../support/real-cluster.ts'
import { pinnedNodeCases } from './cases.ts'

describeOnRealCluster('pinned images of a node at a real API server', () => {
  // There is one ControllerConfig per cluster, so this one is not shared.
  pinnedNodeCases(async () => {
    const cluster = await startPrivateCluster()
    await installKinds(cluster.kubeconfig)
    return cluster
  })
})
