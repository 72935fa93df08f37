import { afterAll, describe } from 'vitest'
import type { KubeClient } from '@machinist/kube/client/client'
import { startServer } from '@machinist/apiserver/running-server.fixture'

/** Runs cases on an embedded API server of their own. */
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
