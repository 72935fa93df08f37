import { clientFrom } from '../../support/real-client.ts'
import { describeOnRealCluster, startPrivateCluster } from '../../support/real-cluster.ts'
import { factsCases } from './cases.ts'

describeOnRealCluster('the facts loop on a real API server', () => {
  // There is one ControllerConfig per cluster, so this one is not shared.
  factsCases(async () => {
    const cluster = await startPrivateCluster()
    return { client: await clientFrom(cluster.kubeconfig), stop: () => cluster.stop() }
  })
})
