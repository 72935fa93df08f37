import { clientFrom } from '../../support/real-client.ts'
import { describeOnRealCluster, startPrivateCluster } from '../../support/real-cluster.ts'
import { imageConfigCases } from './cases.ts'

describeOnRealCluster('what a cluster says about images, on a real API server', () => {
  // Pools are the whole cluster's, so this one is not shared.
  imageConfigCases(async () => {
    const cluster = await startPrivateCluster()
    return { client: await clientFrom(cluster.kubeconfig), stop: () => cluster.stop() }
  })
})
