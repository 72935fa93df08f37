import { resolve } from 'node:path'
import type { CertificateDelivery } from '../api/trust/items.ts'
import type { AuditSink } from '@machinist/apiserver/http/audit'
import type { Logger } from '@machinist/core/log'
import type { KubeClient } from '@machinist/kube/client'
import type { EmbeddedApi } from '@machinist/apiserver/embedded/embedded-api'
import { startEmbeddedApi } from '@machinist/apiserver/embedded/embedded-api'
import type { ClusterSight } from './cluster-sight.ts'
import type { ClusterSize } from './cluster-size.ts'
import { rememberedSize } from './remembered-size.ts'

export interface ClusterOptions {
  /** Everything is kept in here. */
  readonly data: string
  /** Where the API listens; any free port unless given. */
  readonly port?: number
  /** The name of the context in the administrator's kubeconfig. */
  readonly context?: string
  /** As it was before unless said, and at first the usual one. */
  readonly size?: ClusterSize
  /** How many times faster than usual waits are over: boots, windows, retries. */
  readonly speed?: number
  readonly log: Logger
  /** Directories of templates over our own. */
  readonly templates?: readonly string[]
  /** Whether this process runs the controllers, too; it does unless told otherwise. */
  readonly controllers?: boolean
  /** How certificates come to the nodes of a new cluster; direct unless said. */
  readonly delivery?: CertificateDelivery
  /**
   * Hears of every request to the API. Each daemon has a connection of its own then, and its node's name in the user agent.
   */
  readonly audit?: AuditSink
  /** Called as soon as the API answers. */
  readonly apiIsUp?: (api: EmbeddedApi) => void
}

export interface Cluster {
  readonly api: EmbeddedApi
  readonly client: KubeClient
  readonly sight: ClusterSight
  readonly size: ClusterSize
  /** Ends everything; what was under way goes on at the next start. */
  readonly stop: () => Promise<void>
}

/** A whole cluster in this process: API, operator, controllers, and nodes that are directories. */
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
    // Only now: loading all of it takes longer than starting the API.
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
