import { clientFrom } from '../../support/real-client.ts'
import { describeOnRealCluster, startPrivateCluster } from '../../support/real-cluster.ts'
import { kubeletDefaultsCases } from './cases.ts'

describeOnRealCluster('kubelet defaults on a real API server', () => {
  // Pools are the whole cluster's, so this one is not shared.
  kubeletDefaultsCases(async () => {
    const cluster = await startPrivateCluster()
    return { client: await clientFrom(cluster.kubeconfig), stop: () => cluster.stop() }
  })
})
