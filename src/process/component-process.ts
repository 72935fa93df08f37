import { hostname } from 'node:os'
import type { Clock } from '@machinist/core/clock'
import { keepProcessAlive, systemClock } from '@machinist/core/clock'
import { InvalidInput } from '@machinist/core/errors'
import type { Logger } from '@machinist/core/log'
import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import { nameSuffix, systemRandom } from '@machinist/core/random'
import type { KubeClient } from '@machinist/kube/client/client'
import type { ComponentOptions, PageOptions } from './component-options.ts'
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
  await runTask(what, options, terminal, async (tools, signal) => {
    const { metrics, log, instance: identity } = tools
    const { kubeconfig } = options
    const { client, close } = await connect({ kubeconfig, metrics, logger: log })
    const leadership = { namespace, identity, timing: electionTiming(leaseSeconds) }
    const run = start({ ...tools, client }, leaderElection ? leadership : undefined, signal)
    return { run, client, close }
  })
}

export type TaskTools = Omit<ComponentTools, 'client'>

/** A task in progress, and its connection to a cluster if it has one. */
export interface StartedTask {
  readonly run: LeaderRun
  readonly client?: KubeClient
  readonly close?: () => void
}

/** Runs a task until SIGTERM, with health and metrics. */
export async function runTask(
  what: string,
  options: PageOptions,
  terminal: Terminal,
  begin: (tools: TaskTools, signal: AbortSignal) => Promise<StartedTask>,
): Promise<void> {
  const clock = systemClock
  const log = createLogger({ clock, write: terminal.error })
  const metrics = new Metrics()
  const stop = new AbortController()
  void terminal.stopped().then(() => stop.abort())
  const heap = ownHeap()
  if (heap) void releaseIdleMemory(heap, clock, stop.signal, componentIdle)
  const instance = `${hostname()}_${nameSuffix(systemRandom, 10)}`
  const tools = { clock, random: systemRandom, log, metrics, instance }
  const { run, client, close } = await begin(tools, stop.signal)
  // Timers alone do not keep the process alive, and without a connection there is nothing else.
  const mayEnd = keepProcessAlive()
  const served: ServedPages[] = []
  try {
    for (const [pages, listen, content] of servings(options, metrics, run.notReady)) {
      const { secureMetrics } = options
      const isGuarded = secureMetrics !== undefined && '/metrics' in pages
      if (isGuarded && !client) throw new InvalidInput('--secure-metrics needs a cluster')
      const guard =
        isGuarded && client
          ? await createPageGuard({ client, clock, log }, secureMetrics)
          : undefined
      served.push(await servePages(pages, listen, content, guard))
    }
    const where = served.map(({ url }) => `, ${url}`).join('')
    terminal.out(`ready: ${what} of version ${version} as ${instance}${where}\n`)
    await run.ended
  } finally {
    stop.abort()
    // The error, if any, is already thrown.
    await run.ended.catch(() => {})
    for (const each of served) await each.stop()
    close?.()
    mayEnd()
  }
}

type Serving = Parameters<typeof servePages>

function servings(
  { metricsListen, healthListen }: PageOptions,
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
