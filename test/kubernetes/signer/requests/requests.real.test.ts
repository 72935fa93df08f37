import { realFiles } from '@machinist/kube/connection/files'
import { loadTarget } from '@machinist/kube/connection/load'
import { clientTo } from '@machinist/testing/clusters/real-client'
import {
  describeOnRealCluster,
  startPrivateCluster,
} from '@machinist/testing/clusters/real-cluster'
import { requestCases } from '../../../integration/signer/requests/cases.ts'

describeOnRealCluster("kubelets' requests on a real API server", () => {
  // Nodes and requests are the whole cluster's, so this one is not shared.
  requestCases(async () => {
    const cluster = await startPrivateCluster()
    const { kubeconfig } = cluster
    const target = await loadTarget({ kubeconfig, env: {}, home: undefined, files: realFiles })
    return {
      client: clientTo(target),
      as: ({ username: user, groups }) =>
        clientTo({ ...target, impersonate: { user, groups, extra: {} } }),
      stop: () => cluster.stop(),
    }
  })
})
