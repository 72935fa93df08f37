import { systemClock } from '../../../src/base/clock.ts'
import { KubeClient } from '../../../src/kube/client.ts'
import { fixedConnection } from '../../../src/kube/connection/connection.ts'
import { HttpTransport } from '../../../src/kube/transport-http.ts'
import { startServer } from '../../apiserver/http/running-server.ts'
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
