import { resolve } from 'node:path'
import type { AuditSink } from '@machinist/apiserver/http/messages/audit'
import type { Logger } from '@machinist/core/log'
import type { KubeClient } from '@machinist/kube/client/client'
import type { EmbeddedApi } from '@machinist/apiserver/embedded/embedded-api'
import { startEmbeddedApi } from '@machinist/apiserver/embedded/embedded-api'
import type { CertificateDelivery } from '../api/trust/items.ts'
import type { ClusterCaches } from './cluster-caches.ts'
import type { ClusterSize } from './size/cluster-size.ts'
import { rememberedSize } from './size/remembered-size.ts'

export interface ClusterOptions {
  /** Directory for all state. */
  readonly data: string
  /** Port of the API server. Defaults to any free port. */
  readonly port?: number
  /** The name of the context in the administrator's kubeconfig. */
  readonly context?: string
  /** Defaults to the size at the last start. */
  readonly size?: ClusterSize
  /** Divides waiting times such as boots, windows and retries. */
  readonly speed?: number
  readonly log: Logger
  /** Directories of templates that override the built-in ones. */
  readonly templates?: readonly string[]
  /** Whether this process runs the controllers. Defaults to true. */
  readonly controllers?: boolean
  /** How certificates are delivered to the nodes of a new cluster. Defaults to direct. */
  readonly delivery?: CertificateDelivery
  /** Receives every request to the API. With it, each daemon has its own connection, with the node name in its user agent. */
  readonly audit?: AuditSink
  /** Called as soon as the API server answers. */
  readonly apiIsUp?: (api: EmbeddedApi) => void
}

export interface Cluster {
  readonly api: EmbeddedApi
  readonly client: KubeClient
  readonly caches: ClusterCaches
  readonly size: ClusterSize
  /** Stops everything; the next start continues interrupted work. */
  readonly stop: () => Promise<void>
}

/** Starts a whole cluster in this process: API server, operator, controllers and sandbox nodes. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { log, audit, context, port = 0 } = options
  const data = resolve(options.data)
  const api = await startEmbeddedApi({
    data,
    host: '127.0.0.1',
    port,
    log,
    ...(context !== undefined && { context }),
    ...(audit && { audit }),
  })
  try {
    const size = await rememberedSize(data, options.size)
    options.apiIsUp?.(api)
    // Imported late: loading it takes longer than starting the API server.
    const { startParts } = await import('./cluster-parts.ts')
    const parts = await startParts({ ...options, data, size, api })
    const stop = async (): Promise<void> => {
      await parts.stop()
      await api.stop()
    }
    return { ...parts, api, size, stop }
  } catch (error) {
    await api.stop()
    throw error
  }
}
