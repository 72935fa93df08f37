import { clientFrom } from '../../support/real-client.ts'
import { describeOnRealCluster, startPrivateCluster } from '../../support/real-cluster.ts'
import { heldCertificatesCases } from './cases.ts'

describeOnRealCluster('certificates that a pause holds, on a real API server', () => {
  // Pools are the whole cluster's, so this one is not shared.
  heldCertificatesCases(async () => {
    const cluster = await startPrivateCluster()
    return { client: await clientFrom(cluster.kubeconfig), stop: () => cluster.stop() }
  })
})
