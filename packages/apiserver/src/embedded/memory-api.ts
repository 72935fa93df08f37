import type { Clock } from '@machinist/core/clock'
import { systemClock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import { systemRandom } from '@machinist/core/random'
import { createKey, createSecret } from '@machinist/pki/keys'
import { StaticTokens } from '../authentication/static-tokens.ts'
import { ApiServer } from '../http/api-server.ts'
import { mastersGroup } from '../identity/user-info.ts'
import { MemoryStore } from '../store/memory-store.ts'

export interface MemoryApiOptions {
  readonly log: Logger
  /** Default: the system clock. */
  readonly clock?: Clock
}

export interface MemoryApi {
  /** On a loopback address, without TLS. */
  readonly url: string
  /** The bearer token of the administrator; secret. */
  readonly token: string
  stop(): Promise<void>
}

/** Starts the embedded Kubernetes API for the duration of one task: objects and keys are in memory only, nothing is on disk. */
export async function startMemoryApi({
  log,
  clock = systemClock,
}: MemoryApiOptions): Promise<MemoryApi> {
  const token = createSecret()
  const staticTokens = new StaticTokens()
  staticTokens.add(token, { username: 'admin', groups: [mastersGroup] })
  const signingKey = await createKey()
  const store = new MemoryStore({ clock, log })
  try {
    const server = await ApiServer.start({
      store,
      clock,
      random: systemRandom,
      log,
      staticTokens,
      signingKey,
    })
    const stop = async (): Promise<void> => {
      await server.stop()
      await store.close()
    }
    return { url: server.url, token, stop }
  } catch (error) {
    await store.close()
    throw error
  }
}
