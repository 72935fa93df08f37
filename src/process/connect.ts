import { systemClock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { Metrics } from '@machinist/core/metrics'
import { KubeClient } from '@machinist/kube/client'
import { connectTo } from '@machinist/kube/connection/credentials'
import type { Files } from '@machinist/core/files'
import { realFiles } from '@machinist/kube/connection/files'
import { targetLoader } from '@machinist/kube/connection/load'
import { commandRunner } from '@machinist/kube/connection/run-command'
import { HttpTransport } from '@machinist/kube/transport-http'
import { version } from './version.ts'

export interface ConnectOptions {
  /** Unless named, the cluster is found as kubectl finds it. */
  readonly kubeconfig?: string | undefined
  /** The one that the kubeconfig says is current unless named. */
  readonly context?: string
  readonly metrics?: Metrics
  readonly logger?: Logger
  /** Which of several that share an identity this is; the server hears it in the user agent. */
  readonly caller?: string
  /** Where the kubeconfig, the files that it names and its plugins are, if not here. */
  readonly elsewhere?: Elsewhere
  /** Where a pod finds the API, if not where its environment says. */
  readonly inCluster?: { readonly host: string; readonly port: string } | undefined
}

export interface Elsewhere {
  readonly files: Files
  /** What leads to its programs. */
  readonly enter: readonly string[]
}

export interface Connected {
  readonly client: KubeClient
  readonly close: () => void
}

/** A client for the cluster that this process works on. */
export async function connect(options: ConnectOptions): Promise<Connected> {
  const { kubeconfig, context, metrics, logger, caller } = options
  const { files, enter } = options.elsewhere ?? { files: realFiles, enter: [] }
  const clock = systemClock
  const env = { ...process.env, ...serviceVariables(options.inCluster) }
  const reload = targetLoader({
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
    env,
    home: env['HOME'],
    files,
  })
  const target = await reload()
  const run = commandRunner({ clock, env, enter })
  const told = logger && { logger }
  const connection = connectTo({ target, reload, files, run, clock, ...told })
  const transport = new HttpTransport({
    connection,
    clock,
    version,
    ...(metrics && { metrics }),
    ...(caller !== undefined && { caller }),
  })
  const client = new KubeClient({ transport, clock, ...told })
  return { client, close: () => transport.close() }
}

const serviceVariables = (at: ConnectOptions['inCluster']): Record<string, string> =>
  at ? { KUBERNETES_SERVICE_HOST: at.host, KUBERNETES_SERVICE_PORT: at.port } : {}
