import { realFiles } from '../../../src/kube/connection/files.ts'
import { loadTarget } from '../../../src/kube/connection/load.ts'
import { clientTo } from '../../support/real-client.ts'
import { describeOnRealCluster, startPrivateCluster } from '../../support/real-cluster.ts'
import { requestCases } from './cases.ts'

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
