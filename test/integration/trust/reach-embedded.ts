import { systemClock } from '@machinist/core/clock'
import { fixedConnection } from '@machinist/kube/connection/connection'
import { HttpTransport } from '@machinist/kube/transport/http-transport'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import type { Reached } from './cluster.ts'

/** An embedded API server for one suite. */
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
