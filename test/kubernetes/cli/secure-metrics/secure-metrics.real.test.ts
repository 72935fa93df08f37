import { clientFrom } from '@machinist/testing/clusters/real-client'
import { describeOnRealCluster } from '@machinist/testing/clusters/real-cluster'
import { secureMetricsCases } from '../../../integration/cli/secure-metrics/cases.ts'

describeOnRealCluster('metrics, with a real API server', (cluster) => {
  secureMetricsCases(async () => ({
    client: await clientFrom(cluster.kubeconfig),
    stop: async () => {},
  }))
})
