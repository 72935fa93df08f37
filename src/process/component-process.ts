import { hostname } from 'node:os'
import type { Clock } from '@machinist/core/clock'
import { stayAwake, systemClock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import { nameSuffix, systemRandom } from '@machinist/core/random'
import type { KubeClient } from '@machinist/kube/client'
import type { ComponentOptions } from './component-options.ts'
import { connect } from './connect.ts'
import type { Lead, Leadership } from './lead.ts'
import { timingOf } from './lead.ts'
import { componentRest, giveMemoryBack, ownHeap } from './memory-at-rest.ts'
import { guardFor } from './page-guard.ts'
import type { Page, Served } from './pages.ts'
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
  /** Of this process. */
  readonly instance: string
}

export interface Component {
  /** For the line that says that it has started: `controllers`. */
  readonly what: string
  readonly start: (
    tools: ComponentTools,
    leadership: Leadership | undefined,
    signal: AbortSignal,
  ) => Lead
}

/** Runs a component until SIGTERM, then lets what is under way finish and gives the lease back. */
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
  if (heap) void giveMemoryBack(heap, clock, stop.signal, componentRest)
  const { client, close } = await connect({ kubeconfig: options.kubeconfig, metrics, logger: log })
  const identity = `${hostname()}_${nameSuffix(systemRandom, 10)}`
  const lead = start(
    { client, clock, random: systemRandom, log, metrics, instance: identity },
    leaderElection ? { namespace, identity, timing: timingOf(leaseSeconds) } : undefined,
    stop.signal,
  )
  // Waits alone keep no process alive, and while the API is away there is nothing else.
  const mayEnd = stayAwake()
  const served: Served[] = []
  try {
    for (const [pages, listen, told] of servings(options, metrics, lead.unwell)) {
      const { secureMetrics } = options
      const isGuarded = secureMetrics !== undefined && '/metrics' in pages
      const guard = isGuarded ? await guardFor({ client, clock, log }, secureMetrics) : undefined
      served.push(await servePages(pages, listen, told, guard))
    }
    const where = served.map(({ url }) => `, ${url}`).join('')
    terminal.out(`ready: ${what} of version ${version} as ${identity}${where}\n`)
    await lead.ended
  } finally {
    stop.abort()
    // What it ended with is thrown already.
    await lead.ended.catch(() => {})
    for (const each of served) await each.stop()
    close()
    mayEnd()
  }
}

type Serving = Parameters<typeof servePages>

function servings(
  { metricsListen, healthListen }: ComponentOptions,
  metrics: Metrics,
  unwell: () => string | undefined,
): Serving[] {
  const ready: Page = () => {
    const why = unwell()
    return why === undefined ? 'ok\n' : { unwell: why }
  }
  const numbers: Record<string, Page> = { '/metrics': () => metrics.text() + processMetrics() }
  const health: Record<string, Page> = {
    '/healthz': () => 'ok\n',
    '/livez': () => 'ok\n',
    '/readyz': ready,
  }
  const isOne =
    metricsListen?.host === healthListen?.host && metricsListen?.port === healthListen?.port
  if (metricsListen && isOne) {
    return [[{ ...numbers, ...health }, metricsListen, 'metrics and health']]
  }
  const all: Serving[] = []
  if (metricsListen) all.push([numbers, metricsListen, 'metrics'])
  if (healthListen) all.push([health, healthListen, 'health'])
  return all
}
