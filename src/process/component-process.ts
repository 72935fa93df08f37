import { hostname } from 'node:os'
import type { Clock } from '@machinist/core/clock'
import { keepProcessAlive, systemClock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import { nameSuffix, systemRandom } from '@machinist/core/random'
import type { KubeClient } from '@machinist/kube/client/client'
import type { ComponentOptions } from './component-options.ts'
import { connect } from './connect.ts'
import type { LeaderRun, Leadership } from './lead.ts'
import { electionTiming } from './lead.ts'
import { componentIdle, releaseIdleMemory, ownHeap } from './idle-memory.ts'
import { createPageGuard } from './page-guard.ts'
import type { Page, ServedPages } from './pages.ts'
import { servePages } from './pages.ts'
import { processMetrics } from './process-metrics.ts'
import type { Terminal } from './terminal.ts'
import { version } from './version.ts'

export interface ComponentTools {
  readonly client: KubeClient
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
  /** Identity of this process. */
  readonly instance: string
}

export interface Component {
  /** Its name in the line that reports the start: `controllers`. */
  readonly what: string
  readonly start: (
    tools: ComponentTools,
    leadership: Leadership | undefined,
    signal: AbortSignal,
  ) => LeaderRun
}

/** Runs a component until SIGTERM, then finishes the work in progress and releases the Lease. */
export async function runComponent(
  { what, start }: Component,
  options: ComponentOptions,
  terminal: Terminal,
): Promise<void> {
  const { namespace, leaderElection, leaseSeconds } = options
  const clock = systemClock
  const log = createLogger({ clock, write: terminal.error })
  const metrics = new Metrics()
  const stop = new AbortController()
  void terminal.stopped().then(() => stop.abort())
  const heap = ownHeap()
  if (heap) void releaseIdleMemory(heap, clock, stop.signal, componentIdle)
  const { client, close } = await connect({ kubeconfig: options.kubeconfig, metrics, logger: log })
  const identity = `${hostname()}_${nameSuffix(systemRandom, 10)}`
  const run = start(
    { client, clock, random: systemRandom, log, metrics, instance: identity },
    leaderElection ? { namespace, identity, timing: electionTiming(leaseSeconds) } : undefined,
    stop.signal,
  )
  // Timers alone do not keep the process alive, and without a connection there is nothing else.
  const mayEnd = keepProcessAlive()
  const served: ServedPages[] = []
  try {
    for (const [pages, listen, content] of servings(options, metrics, run.notReady)) {
      const { secureMetrics } = options
      const isGuarded = secureMetrics !== undefined && '/metrics' in pages
      const guard = isGuarded
        ? await createPageGuard({ client, clock, log }, secureMetrics)
        : undefined
      served.push(await servePages(pages, listen, content, guard))
    }
    const where = served.map(({ url }) => `, ${url}`).join('')
    terminal.out(`ready: ${what} of version ${version} as ${identity}${where}\n`)
    await run.ended
  } finally {
    stop.abort()
    // The error, if any, is already thrown.
    await run.ended.catch(() => {})
    for (const each of served) await each.stop()
    close()
    mayEnd()
  }
}

type Serving = Parameters<typeof servePages>

function servings(
  { metricsListen, healthListen }: ComponentOptions,
  metrics: Metrics,
  notReady: () => string | undefined,
): Serving[] {
  const ready: Page = () => {
    const why = notReady()
    return why === undefined ? 'ok\n' : { notReady: why }
  }
  const metricsPages: Record<string, Page> = { '/metrics': () => metrics.text() + processMetrics() }
  const health: Record<string, Page> = {
    '/healthz': () => 'ok\n',
    '/livez': () => 'ok\n',
    '/readyz': ready,
  }
  const isSame =
    metricsListen?.host === healthListen?.host && metricsListen?.port === healthListen?.port
  if (metricsListen && isSame) {
    return [[{ ...metricsPages, ...health }, metricsListen, 'metrics and health']]
  }
  const all: Serving[] = []
  if (metricsListen) all.push([metricsPages, metricsListen, 'metrics'])
  if (healthListen) all.push([health, healthListen, 'health'])
  return all
}
