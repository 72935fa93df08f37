import { beforeAll } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { KubeClient } from '../../../src/kube/client.ts'
import { realFiles } from '../../../src/kube/connection/files.ts'
import { loadTarget } from '../../../src/kube/connection/load.ts'
import { HttpTransport } from '../../../src/kube/transport-http.ts'
import { connectionTo } from '../../support/real-client.ts'
import { describeOnRealCluster } from '../../support/real-cluster.ts'
import { drainCases } from './drain-cases.ts'
import type { Cluster } from './stage.ts'
import { installOurKinds } from './stage.ts'

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
