import { clientFrom } from '../../support/real-client.ts'
import { describeOnRealCluster, startPrivateCluster } from '../../support/real-cluster.ts'
import { machineConfigNodeCases } from './cases.ts'

describeOnRealCluster('the MachineConfigNode controller on a real API server', () => {
  // Nodes and pools are the whole cluster's, so this one is not shared.
  machineConfigNodeCases(async () => {
    const cluster = await startPrivateCluster()
    return { client: await clientFrom(cluster.kubeconfig), stop: () => cluster.stop() }
  })
})
