import { beforeAll } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { KubeClient } from '@machinist/kube/client'
import { realFiles } from '@machinist/kube/connection/files'
import { loadTarget } from '@machinist/kube/connection/load'
import { HttpTransport } from '@machinist/kube/transport-http'
import { connectionTo } from '@machinist/testing/real-client'
import { describeOnRealCluster } from '@machinist/testing/real-cluster'
import { drainCases } from '../../../integration/controllers/drain/drain-cases.ts'
import type { Cluster } from '../../../integration/controllers/drain/stage.ts'
import { installOurKinds } from '../../../integration/controllers/drain/stage.ts'

describeOnRealCluster('draining on a real API server', ({ kubeconfig }) => {
  let cluster: Cluster
  beforeAll(async () => {
    const target = await loadTarget({ kubeconfig, env: {}, home: undefined, files: realFiles })
    const transport = new HttpTransport({ connection: connectionTo(target), clock: systemClock })
    const client = new KubeClient({ transport, clock: systemClock })
    cluster = { client, transport, countsBudgets: false, stop: async () => transport.close() }
    await installOurKinds(client)
  })

  drainCases(() => cluster)
})
