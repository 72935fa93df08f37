import { clientFrom } from '../../support/real-client.ts'
import { describeOnRealCluster } from '../../support/real-cluster.ts'
import { secureMetricsCases } from './cases.ts'

describeOnRealCluster('metrics, with a real API server', (cluster) => {
  secureMetricsCases(async () => ({
    client: await clientFrom(cluster.kubeconfig),
    stop: async () => {},
  }))
})
