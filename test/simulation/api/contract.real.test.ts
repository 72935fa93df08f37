import { clientFrom } from '@machinist/testing/clusters/real-client'
import {
  describeOnRealCluster,
  startPrivateCluster,
} from '@machinist/testing/clusters/real-cluster'
import { installDefinitions } from '../../../src/api/definitions/definitions.fixture.ts'
import { apiContract } from './contract.ts'

describeOnRealCluster('what the simulation relies on', () => {
  // Nodes and pools are cluster-scoped, so this cluster is not shared.
  apiContract('a real API', async () => {
    const cluster = await startPrivateCluster()
    const client = await clientFrom(cluster.kubeconfig)
    await installDefinitions(client)
    return { client, namespace: 'default', stop: () => cluster.stop() }
  })
})
