import { createPrivateKey, X509Certificate } from 'node:crypto'
import { join, resolve } from 'node:path'
import { StaticTokens } from '../apiserver/authentication/static-tokens.ts'
import { mastersGroup } from '../apiserver/authentication/user-info.ts'
import type { ServingIdentity } from '../apiserver/http/api-http-server.ts'
import type { ApiServerOptions } from '../apiserver/http/api-server.ts'
import { ApiServer } from '../apiserver/http/api-server.ts'
import { openSqliteStore } from '../apiserver/store/sqlite-store.ts'
import type { Clock } from '../base/clock.ts'
import { systemClock } from '../base/clock.ts'
import type { Logger } from '../base/log.ts'
import { systemRandom } from '../base/random.ts'
import { toYaml } from '../base/yaml.ts'
import type { KeyPair } from '../pki/issue.ts'
import { writeSecretFile } from './durable-file.ts'
import type { ServerIdentity } from './server-identity.ts'
import { loadIdentity, loadServing } from './server-identity.ts'
import { renewServing } from './serving-renewal.ts'

export interface EmbeddedApiOptions {
  /** Objects, keys and certificates are kept in here. */
  readonly data: string
  readonly host: string
  readonly port: number
  /** Where to write the administrator's kubeconfig; in the data directory unless said otherwise. */
  readonly kubeconfig?: string
  readonly log: Logger
  /** The machine's own unless told. */
  readonly clock?: Clock
}

export interface EmbeddedApi {
  readonly url: string
  readonly kubeconfig: string
  /** PEM of the CA by which clients know it. */
  readonly ca: string
  stop(): Promise<void>
}

/** Starts the embedded Kubernetes API on its data directory, with its own authority and an administrator. */
export async function startEmbeddedApi(options: EmbeddedApiOptions): Promise<EmbeddedApi> {
  const { host, port, log, clock = systemClock } = options
  const directory = resolve(options.data)
  const store = openSqliteStore({ directory, clock, log })
  try {
    const place = { directory: join(directory, 'pki'), host, clock }
    const identity = await loadIdentity(place)
    const trust = trustOf(identity)
    const server = await ApiServer.start({
      host,
      port,
      store,
      clock,
      random: systemRandom,
      log,
      ...trust,
    })
    const kubeconfig = resolve(options.kubeconfig ?? join(directory, 'kubeconfig'))
    await writeSecretFile(kubeconfig, adminKubeconfig(server.url, identity))
    const stopRenewal = renewServing({
      clock,
      log,
      shown: identity.serving,
      load: () => loadServing(identity.authority, place),
      present: (serving) => server.present(servingOf(identity.authority, serving)),
    })
    const stop = async (): Promise<void> => {
      stopRenewal()
      await server.stop()
      await store.close()
    }
    return { url: server.url, kubeconfig, ca: identity.authority.certificate, stop }
  } catch (error) {
    await store.close()
    throw error
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

function adminKubeconfig(server: string, { authority, adminToken }: ServerIdentity): string {
  const name = 'machinist'
  const ca = Buffer.from(authority.certificate).toString('base64')
  return toYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    contexts: [{ name, context: { cluster: name, user: 'admin' } }],
    clusters: [{ name, cluster: { server, 'certificate-authority-data': ca } }],
    users: [{ name: 'admin', user: { token: adminToken } }],
  })
}
