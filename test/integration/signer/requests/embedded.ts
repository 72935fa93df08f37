import { systemClock } from '@machinist/core/clock'
import { KubeClient } from '@machinist/kube/client/client'
import { fixedConnection } from '@machinist/kube/connection/connection'
import { HttpTransport } from '@machinist/kube/transport/http-transport'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import type { ReachedAs } from './requests-cluster.ts'

const clock = systemClock

/** A new embedded API server, with impersonation by the administrator. */
export async function reachEmbedded(): Promise<ReachedAs> {
  const server = await startServer()
  return {
    client: server.client,
    as: ({ username, groups }) => {
      const headers = {
        authorization: 'Bearer administrators-token',
        'impersonate-user': username,
        ...(groups.length > 0 && { 'impersonate-group': groups }),
      }
      const connection = fixedConnection({ server: server.url, tls: {}, headers })
      return new KubeClient({ transport: new HttpTransport({ connection, clock }), clock })
    },
    stop: async () => server[Symbol.asyncDispose](),
  }
}
