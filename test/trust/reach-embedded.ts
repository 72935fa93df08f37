import { systemClock } from '../../src/base/clock.ts'
import { fixedConnection } from '../../src/kube/connection/connection.ts'
import { HttpTransport } from '../../src/kube/transport-http.ts'
import { startServer } from '../apiserver/http/running-server.ts'
import type { Reached } from './cluster.ts'

/** An embedded API server for one suite alone. */
export async function embedded(): Promise<Reached> {
  const server = await startServer()
  const headers = { authorization: 'Bearer administrators-token' }
  const connection = fixedConnection({ server: server.url, tls: {}, headers })
  const transport = new HttpTransport({ connection, clock: systemClock })
  return {
    transport,
    stop: async () => {
      transport.close()
      await server[Symbol.asyncDispose]()
    },
  }
}
