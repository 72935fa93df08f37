import { clientOf } from '../daemon/cluster/api.ts'
import { describeOnRealCluster, startPrivateCluster } from '../support/real-cluster.ts'
import { backToRenderedCase } from './rendered.cases.ts'
import { trustTimelines } from './timelines.ts'

describeOnRealCluster('trust on a real API server', () => {
  // There is one ControllerConfig per cluster, so this one is not shared.
  trustTimelines(async () => {
    const cluster = await startPrivateCluster()
    const { transport, close } = await clientOf(cluster.kubeconfig)
    const stop = async (): Promise<void> => {
      close()
      await cluster.stop()
    }
    return { transport, stop }
  }, backToRenderedCase)
})
