import { clientFrom } from '../../support/real-client.ts'
import { describeOnRealCluster, startPrivateCluster } from '../../support/real-cluster.ts'
import { clusterOperatorCases } from './cases.ts'

describeOnRealCluster('the ClusterOperator on a real API server', () => {
  // There is one per cluster, so this one is not shared.
  clusterOperatorCases(async () => {
    const cluster = await startPrivateCluster()
    return { client: await clientFrom(cluster.kubeconfig), stop: () => cluster.stop() }
  })
})
