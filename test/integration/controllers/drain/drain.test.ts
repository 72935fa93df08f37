import { afterAll, beforeAll, describe } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { fixedConnection } from '@machinist/kube/connection/connection'
import { HttpTransport } from '@machinist/kube/transport/http-transport'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import { drainCases } from './drain-cases.ts'
import type { TestCluster } from './drain-cluster.ts'
import { installKinds } from './drain-cluster.ts'

describe('draining on the embedded API', { timeout: 60_000 }, () => {
  let cluster: TestCluster
  beforeAll(async () => {
    const server = await startServer()
    const headers = { authorization: 'Bearer administrators-token' }
    const connection = fixedConnection({ server: server.url, tls: {}, headers })
    const transport = new HttpTransport({ connection, clock: systemClock })
    const { client } = server
    cluster = {
      client,
      transport,
      countsBudgets: true,
      stop: async () => {
        transport.close()
        await server[Symbol.asyncDispose]()
      },
    }
    await installKinds(client)
  })
  afterAll(() => cluster.stop())

  drainCases(() => cluster)
})
