import { clientFrom } from '../../support/real-client.ts'
import { describeOnRealCluster, startPrivateCluster } from '../../support/real-cluster.ts'
import { pinnedImagesCases } from './cases.ts'

describeOnRealCluster('pinned images of pools on a real API server', () => {
  // Pools and nodes are the whole cluster's, so this one is not shared.
  pinnedImagesCases(async () => {
    const cluster = await startPrivateCluster()
    return { client: await clientFrom(cluster.kubeconfig), stop: () => cluster.stop() }
  })
})
