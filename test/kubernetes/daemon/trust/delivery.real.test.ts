import {
  describeOnRealCluster,
  startPrivateCluster,
} from '@machinist/testing/clusters/real-cluster'
import { installKinds } from '../../../../src/process/install-kinds.ts'
import { deliveryCases } from '../../../integration/daemon/trust/delivery-cases.ts'

describeOnRealCluster('the trust lane at a real API server', () => {
  // There is one ControllerConfig per cluster, so this one is not shared.
  deliveryCases(async () => {
    const cluster = await startPrivateCluster()
    await installKinds(cluster.kubeconfig)
    return cluster
  })
})
