import { installDefinitions } from '../../../src/api/definitions.fixture.ts'
import { clientFrom } from '@machinist/testing/real-client'
import { describeOnRealCluster, startPrivateCluster } from '@machinist/testing/real-cluster'
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
