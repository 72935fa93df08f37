import { beforeAll } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { KubeClient } from '@machinist/kube/client/client'
import { realFiles } from '@machinist/kube/connection/files'
import { loadTarget } from '@machinist/kube/connection/load'
import { HttpTransport } from '@machinist/kube/transport/http-transport'
import { connectionTo } from '@machinist/testing/clusters/real-client'
import { describeOnRealCluster } from '@machinist/testing/clusters/real-cluster'
import { drainCases } from '../../../integration/controllers/drain/drain-cases.ts'
import type { TestCluster } from '../../../integration/controllers/drain/drain-cluster.ts'
import { installKinds } from '../../../integration/controllers/drain/drain-cluster.ts'

describeOnRealCluster('draining on a real API server', ({ kubeconfig }) => {
  let cluster: TestCluster
  beforeAll(async () => {
    const target = await loadTarget({ kubeconfig, env: {}, home: undefined, files: realFiles })
    const transport = new HttpTransport({ connection: connectionTo(target), clock: systemClock })
    const client = new KubeClient({ transport, clock: systemClock })
    cluster = { client, transport, countsBudgets: false, stop: async () => transport.close() }
    await installKinds(client)
  })

  drainCases(() => cluster)
})
