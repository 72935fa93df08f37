import {
  describeOnRealCluster,
  startPrivateCluster,
} from '@machinist/testing/clusters/real-cluster'
import { clientOf } from '../../integration/daemon/cluster/api.ts'
import type { Reached } from '../../integration/trust/cluster.ts'
import { backToRenderedCase } from '../../integration/trust/rendered.cases.ts'
import { signerTimelines } from '../../integration/trust/signer-timelines.ts'
import { trustTimelines } from '../../integration/trust/timelines.ts'

/** There is one ControllerConfig per cluster, so this one is not shared. */
async function real(): Promise<Reached> {
  const cluster = await startPrivateCluster()
  const { transport, close } = await clientOf(cluster.kubeconfig)
  const stop = async (): Promise<void> => {
    close()
    await cluster.stop()
  }
  return { transport, stop }
}

describeOnRealCluster('trust on a real API server', () => {
  trustTimelines(real, backToRenderedCase)
})

describeOnRealCluster('trust with a signer on a real API server', () => {
  signerTimelines(real)
})
