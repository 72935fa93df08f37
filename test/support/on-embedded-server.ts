import { afterAll, describe } from 'vitest'
import type { KubeClient } from '@machinist/kube/client'
import { startServer } from '@machinist/apiserver/running-server.fixture'

/** Cases that have an embedded API server for themselves. */
export async function onEmbeddedServer(
  what: string,
  cases: (client: KubeClient) => void,
): Promise<void> {
  const server = await startServer()
  describe(`${what} on the embedded API server`, () => {
    afterAll(() => server[Symbol.asyncDispose]())
    cases(server.client)
  })
}
