import { systemClock } from '@machinist/core/clock'
import { KubeClient } from '@machinist/kube/client'
import { fixedConnection } from '@machinist/kube/connection/connection'
import { HttpTransport } from '@machinist/kube/transport-http'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import type { ReachedAs } from './world.ts'

const clock = systemClock

/** An embedded API server of one's own, where the administrator can be anybody. */
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
