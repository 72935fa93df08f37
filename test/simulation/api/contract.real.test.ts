import { installDefinitions } from '../../support/definitions.ts'
import { clientFrom } from '../../support/real-client.ts'
import { describeOnRealCluster, startPrivateCluster } from '../../support/real-cluster.ts'
import { apiContract } from './contract.ts'

describeOnRealCluster('what the simulation relies on', () => {
  // Nodes and pools are the whole cluster's, so this one is not shared.
  apiContract('a real API', async () => {
    const cluster = await startPrivateCluster()
    const client = await clientFrom(cluster.kubeconfig)
    await installDefinitions(client)
    return { client, namespace: 'default', stop: () => cluster.stop() }
  })
})
