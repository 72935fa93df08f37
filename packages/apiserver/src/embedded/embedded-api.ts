import { createPrivateKey, X509Certificate } from 'node:crypto'
import { join, resolve } from 'node:path'
import type { Clock } from '@machinist/core/clock'
import { systemClock } from '@machinist/core/clock'
import { InvalidInput } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import { systemRandom } from '@machinist/core/random'
import type { KeyPair } from '@machinist/pki/issue'
import { StaticTokens } from '../authentication/static-tokens.ts'
import { mastersGroup } from '../identity/user-info.ts'
import type { ServingIdentity } from '../http/api-http-server.ts'
import type { ApiServerOptions } from '../http/api-server.ts'
import { ApiServer } from '../http/api-server.ts'
import type { AuditSink } from '../http/messages/audit.ts'
import { openSqliteStore } from '../store/sqlite-store.ts'
import { adminContext } from './admin-kubeconfig.ts'
import type { ServerIdentity } from './server-identity.ts'
import {
  hasIdentity,
  hostnamesOf,
  storeServing,
  loadIdentity,
  loadServing,
} from './server-identity.ts'
import { renewServing } from './serving-renewal.ts'
import { PresentedIdentity } from './presented-identity.ts'

export interface EmbeddedApiOptions {
  /** Directory for objects, keys and certificates. */
  readonly data: string
  readonly host: string
  readonly port: number
  /** Path of the administrator's kubeconfig; default: in the data directory. */
  readonly kubeconfig?: string
  /** Name of the context and cluster in that kubeconfig. */
  readonly context?: string
  readonly log: Logger
  /** Default: the system clock. */
  readonly clock?: Clock
  /** Receives every finished request; default: no audit. */
  readonly audit?: AuditSink
}

export interface EmbeddedApi {
  readonly url: string
  readonly kubeconfig: string
  /** The administrator's context in the kubeconfig. */
  readonly context: string
  /** Names that a serving certificate must cover. */
  readonly hostnames: readonly string[]
  /** Signs the default serving certificate, and verifies client certificates. */
  readonly authority: KeyPair
  /** PEM of the CAs that clients currently trust for this server. */
  readonly ca: () => string
  /** Uses another serving certificate from now on, also after a restart. Open connections are not affected. */
  serve(serving: KeyPair): Promise<void>
  /** Writes these CAs (PEM) to the kubeconfig, in addition to the CA of the current serving certificate. */
  trust(published: string): Promise<void>
  stop(): Promise<void>
}

/** Starts the embedded Kubernetes API on a data directory, with its own CA and an administrator. */
export async function startEmbeddedApi(options: EmbeddedApiOptions): Promise<EmbeddedApi> {
  const { host, port, log, clock = systemClock, audit, context = adminContext } = options
  const directory = resolve(options.data)
  const place = { directory: join(directory, 'pki'), host, clock }
  // Keys and certificates are created after the database.
  const used = (await hasIdentity(place)) && { usedSince: place.directory }
  const store = openSqliteStore({ directory, clock, log, ...used })
  try {
    const identity = await loadIdentity(place)
    const { authority, serving, adminToken: token } = identity
    const server = await listening({
      host,
      port,
      store,
      clock,
      random: systemRandom,
      log,
      ...trustOf(identity),
      ...(audit && { audit }),
    })
    const kubeconfig = resolve(options.kubeconfig ?? join(directory, 'kubeconfig'))
    const presented = await PresentedIdentity.begin({
      serving,
      authority: authority.certificate,
      kubeconfig,
      access: { server: server.url, token, context },
      present: (next) => server.present(servingOf(authority, next)),
    })
    const load = (): Promise<KeyPair> => loadServing(authority, place)
    const stopRenewal = renewServing({ clock, log, presented, load })
    return {
      url: server.url,
      kubeconfig,
      context,
      hostnames: hostnamesOf(host),
      authority,
      ca: () => presented.ca,
      serve: async (next) => {
        if (next.certificate === presented.serving.certificate) return
        await storeServing(place.directory, next)
        await presented.show(next)
        log.info('replaced the serving certificate')
      },
      trust: (published) => presented.trust(published),
      stop: async () => {
        stopRenewal()
        await server.stop()
        await store.close()
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

async function listening(options: ApiServerOptions): Promise<ApiServer> {
  try {
    return await ApiServer.start(options)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new InvalidInput(
      `port ${options.port} of ${options.host} is in use by another process: choose another port, or 0 for any free one`,
      { cause: error },
    )
  }
}

type Trust = Pick<ApiServerOptions, 'staticTokens' | 'signingKey' | 'clientAuthorities' | 'tls'>

function trustOf({ authority, serving, accountKey, adminToken }: ServerIdentity): Trust {
  const staticTokens = new StaticTokens()
  staticTokens.add(adminToken, { username: 'admin', groups: [mastersGroup] })
  const vouching = [new X509Certificate(authority.certificate)]
  return {
    staticTokens,
    signingKey: createPrivateKey(accountKey),
    clientAuthorities: () => vouching,
    tls: {
      ...servingOf(authority, serving),
      // Request client certificates without requiring them: most clients use a token.
      requestCert: true,
      rejectUnauthorized: false,
    },
  }
}

const servingOf = (authority: KeyPair, serving: KeyPair): ServingIdentity => ({
  cert: serving.certificate,
  key: serving.key,
  ca: authority.certificate,
})
