import { clientFrom } from '../../support/real-client.ts'
import { describeOnRealCluster, startPrivateCluster } from '../../support/real-cluster.ts'
import { ledgerCases } from './cases.ts'

describeOnRealCluster('the ledger on a real API server', () => {
  // Nodes are the whole cluster's, so this one is not shared.
  ledgerCases(async () => {
    const cluster = await startPrivateCluster()
    return { client: await clientFrom(cluster.kubeconfig), stop: () => cluster.stop() }
  })
})
