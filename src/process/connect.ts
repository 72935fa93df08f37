import { systemClock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { Metrics } from '@machinist/core/metrics'
import { KubeClient } from '@machinist/kube/client/client'
import { connectTo } from '@machinist/kube/connection/credentials'
import type { FileReader } from '@machinist/core/files'
import { realFiles } from '@machinist/kube/connection/files'
import { targetLoader } from '@machinist/kube/connection/load'
import { commandRunner } from '@machinist/kube/connection/run-command'
import { HttpTransport } from '@machinist/kube/transport/http-transport'
import { version } from './version.ts'

export interface ConnectOptions {
  /** Defaults to the kubeconfig of kubectl. */
  readonly kubeconfig?: string | undefined
  /** Defaults to the current context of the kubeconfig. */
  readonly context?: string
  readonly metrics?: Metrics
  readonly logger?: Logger
  /** Added to the user agent, to distinguish clients with the same identity. */
  readonly caller?: string
  /** The machine with the kubeconfig, its files and its plugins. Defaults to this one. */
  readonly machine?: MachineAccess
  /** Address of the API server for a pod. Defaults to the one in its environment. */
  readonly inCluster?: { readonly host: string; readonly port: string } | undefined
}

export interface MachineAccess {
  readonly files: FileReader
  /** The command prefix that runs programs of the machine, such as chroot. */
  readonly enter: readonly string[]
}

export interface Connected {
  readonly client: KubeClient
  readonly close: () => void
}

/** Connects to a cluster. */
export async function connect(options: ConnectOptions): Promise<Connected> {
  const { kubeconfig, context, metrics, logger, caller } = options
  const { files, enter } = options.machine ?? { files: realFiles, enter: [] }
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
  const logging = logger && { logger }
  const connection = connectTo({ target, reload, files, run, clock, ...logging })
  const transport = new HttpTransport({
    connection,
    clock,
    version,
    ...(metrics && { metrics }),
    ...(caller !== undefined && { caller }),
  })
  const client = new KubeClient({ transport, clock, ...logging })
  return { client, close: () => transport.close() }
}

const serviceVariables = (at: ConnectOptions['inCluster']): Record<string, string> =>
  at ? { KUBERNETES_SERVICE_HOST: at.host, KUBERNETES_SERVICE_PORT: at.port } : {}
