import { afterAll, beforeAll, describe } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { fixedConnection } from '../../../src/kube/connection/connection.ts'
import { HttpTransport } from '../../../src/kube/transport-http.ts'
import { startServer } from '../../apiserver/http/running-server.ts'
import { drainCases } from './drain-cases.ts'
import type { Cluster } from './stage.ts'
import { installOurKinds } from './stage.ts'

describe('draining on the embedded API', { timeout: 60_000 }, () => {
  let cluster: Cluster
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
    await installOurKinds(client)
  })
  afterAll(() => cluster.stop())

  drainCases(() => cluster)
})
