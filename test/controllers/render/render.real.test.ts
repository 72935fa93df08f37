import { clientFrom } from '../../support/real-client.ts'
import { describeOnRealCluster, startPrivateCluster } from '../../support/real-cluster.ts'
import { renderCases } from './cases.ts'

describeOnRealCluster('the render controller on a real API server', () => {
  // There is one ControllerConfig per cluster, so this one is not shared.
  renderCases(async () => {
    const cluster = await startPrivateCluster()
    return { client: await clientFrom(cluster.kubeconfig), stop: () => cluster.stop() }
  })
})
