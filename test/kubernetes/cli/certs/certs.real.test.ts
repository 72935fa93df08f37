import { readFileSync } from 'node:fs'
import { clientFrom } from '@machinist/testing/clusters/real-client'
import {
  describeOnRealCluster,
  startPrivateCluster,
} from '@machinist/testing/clusters/real-cluster'
import { certsCases } from '../../../integration/cli/certs/cases.ts'

describeOnRealCluster('certificates of a real API server', () => {
  // Nodes are cluster-scoped, so this cluster is not shared.
  certsCases(async () => {
    const cluster = await startPrivateCluster()
    const kubeconfig = readFileSync(cluster.kubeconfig, 'utf8')
    return { client: await clientFrom(cluster.kubeconfig), kubeconfig, stop: () => cluster.stop() }
  })
})
