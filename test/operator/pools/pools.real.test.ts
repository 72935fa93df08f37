import { clientFrom } from '../../support/real-client.ts'
import { describeOnRealCluster, startPrivateCluster } from '../../support/real-cluster.ts'
import { poolsCases } from './cases.ts'

describeOnRealCluster("the operator's pools on a real API server", () => {
  // Pools are the whole cluster's, so this one is not shared.
  poolsCases(async () => {
    const cluster = await startPrivateCluster()
    return { client: await clientFrom(cluster.kubeconfig), stop: () => cluster.stop() }
  })
})
