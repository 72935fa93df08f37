import { installKinds } from '../../../src/cli/install-kinds.ts'
import { describeOnRealCluster, startPrivateCluster } from '../../support/real-cluster.ts'
import { deliveryCases } from './delivery-cases.ts'

describeOnRealCluster('the trust lane at a real API server', () => {
  // There is one ControllerConfig per cluster, so this one is not shared.
  deliveryCases(async () => {
    const cluster = await startPrivateCluster()
    await installKinds(cluster.kubeconfig)
    return cluster
  })
})
