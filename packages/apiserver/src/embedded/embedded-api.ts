import { createPrivateKey, X509Certificate } from 'node:crypto'
import { join, resolve } from 'node:path'
import { StaticTokens } from '../authentication/static-tokens.ts'
import { mastersGroup } from '../authentication/user-info.ts'
import type { ServingIdentity } from '../http/api-http-server.ts'
import type { ApiServerOptions } from '../http/api-server.ts'
import { ApiServer } from '../http/api-server.ts'
import type { AuditSink } from '../http/audit.ts'
import { openSqliteStore } from '../store/sqlite-store.ts'
import type { Clock } from '@machinist/core/clock'
import { systemClock } from '@machinist/core/clock'
import { InvalidInput } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import { systemRandom } from '@machinist/core/random'
import type { KeyPair } from '@machinist/pki/issue'
import { adminContext } from './admin-kubeconfig.ts'
import type { ServerIdentity } from './server-identity.ts'
import {
  hasIdentity,
  hostnamesOf,
  keepServing,
  loadIdentity,
  loadServing,
} from './server-identity.ts'
import { renewServing } from './serving-renewal.ts'
import { ShownIdentity } from './shown-identity.ts'

export interface EmbeddedApiOptions {
  /** Objects, keys and certificates are kept in here. */
  readonly data: string
  readonly host: string
  readonly port: number
  /** Where to write the administrator's kubeconfig; in the data directory unless said otherwise. */
  readonly kubeconfig?: string
  /** The name of the context in that kubeconfig, and of its cluster. */
  readonly context?: string
  readonly log: Logger
  /** The machine's own unless told. */
  readonly clock?: Clock
  /** Hears of every request when it is over; nobody does unless given. */
  readonly audit?: AuditSink
}

export interface EmbeddedApi {
  readonly url: string
  readonly kubeconfig: string
  /** The administrator's context in the kubeconfig. */
  readonly context: string
  /** What a certificate for it has to name. */
  readonly hostnames: readonly string[]
  /** Signs its certificate until something else does, and vouches for client certificates. */
  readonly authority: KeyPair
  /** PEM of the CAs by which clients know it now. */
  readonly ca: () => string
  /** Shows another certificate from now on, after a restart too. Connections that are open do not notice. */
  serve(serving: KeyPair): Promise<void>
  /** The kubeconfig names these CAs, PEM, from now on, besides who vouches for what is shown. */
  trust(published: string): Promise<void>
  stop(): Promise<void>
}

/** Starts the embedded Kubernetes API on its data directory, with its own authority and an administrator. */
export async function startEmbeddedApi(options: EmbeddedApiOptions): Promise<EmbeddedApi> {
  const { host, port, log, clock = systemClock, audit, context = adminContext } = options
  const directory = resolve(options.data)
  const place = { directory: join(directory, 'pki'), host, clock }
  // Keys and certificates are made after the database.
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
    const shown = await ShownIdentity.begin({
      serving,
      authority: authority.certificate,
      kubeconfig,
      access: { server: server.url, token, context },
      present: (next) => server.present(servingOf(authority, next)),
    })
    const load = (): Promise<KeyPair> => loadServing(authority, place)
    const stopRenewal = renewServing({ clock, log, shown, load })
    return {
      url: server.url,
      kubeconfig,
      context,
      hostnames: hostnamesOf(host),
      authority,
      ca: () => shown.ca,
      serve: async (next) => {
        if (next.certificate === shown.serving.certificate) return
        await keepServing(place.directory, next)
        await shown.show(next)
        log.info('the serving certificate was replaced')
      },
      trust: (published) => shown.trust(published),
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
      // Asked for, never demanded: most clients come with a token.
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
