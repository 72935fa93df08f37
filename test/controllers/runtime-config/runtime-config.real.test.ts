import { clientFrom } from '../../support/real-client.ts'
import { describeOnRealCluster, startPrivateCluster } from '../../support/real-cluster.ts'
import { runtimeConfigCases } from './cases.ts'

describeOnRealCluster('ContainerRuntimeConfigs on a real API server', () => {
  // There is one ControllerConfig per cluster, so this one is not shared.
  runtimeConfigCases(async () => {
    const cluster = await startPrivateCluster()
    return { client: await clientFrom(cluster.kubeconfig), stop: () => cluster.stop() }
  })
})
