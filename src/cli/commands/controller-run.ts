import { hostname } from 'node:os'
import { stayAwake, systemClock } from '../../base/clock.ts'
import { createLogger } from '../../base/log.ts'
import { Metrics } from '../../base/metrics.ts'
import { nameSuffix, systemRandom } from '../../base/random.ts'
import { connect } from '../connect.ts'
import { leadControllers, timingOf } from '../lead-controllers.ts'
import type { Page, Served } from '../pages.ts'
import { servePages } from '../pages.ts'
import { loadTemplates } from '../templates.ts'
import type { Terminal } from '../terminal.ts'
import { version } from '../version.ts'
import type { ControllerOptions } from './controller.ts'

/** Runs the controllers until SIGTERM, then lets what is under way finish and gives the lease back. */
export async function runControllerProcess(
  options: ControllerOptions,
  terminal: Terminal,
): Promise<void> {
  const { namespace, leaderElection, leaseSeconds, release, keepRendered } = options
  const clock = systemClock
  const log = createLogger({ clock, write: terminal.error })
  const metrics = new Metrics()
  const stop = new AbortController()
  void terminal.stopped().then(() => stop.abort())
  const templates = await loadTemplates(options.templates)
  const { client, close } = await connect({ kubeconfig: options.kubeconfig, metrics, logger: log })
  const identity = `${hostname()}_${nameSuffix(systemRandom, 10)}`
  const lead = leadControllers(
    {
      client,
      clock,
      random: systemRandom,
      log,
      metrics,
      maker: { version, build: version },
      instance: identity,
      namespace,
      templates,
      release,
      keepRendered,
      renderWindowMs: options.renderWindow * 1000,
    },
    leaderElection ? { namespace, identity, timing: timingOf(leaseSeconds) } : undefined,
    stop.signal,
  )
  // Waits alone keep no process alive, and while the API is away there is nothing else.
  const mayEnd = stayAwake()
  const served: Served[] = []
  try {
    for (const [pages, listen, what] of servings(options, metrics, lead.unwell)) {
      served.push(await servePages(pages, listen, what))
    }
    const where = served.map(({ url }) => `, ${url}`).join('')
    terminal.out(`ready: controllers of version ${version} as ${identity}${where}\n`)
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
  { metricsListen, healthListen }: ControllerOptions,
  metrics: Metrics,
  unwell: () => string | undefined,
): Serving[] {
  const ready: Page = () => {
    const why = unwell()
    return why === undefined ? 'ok\n' : { unwell: why }
  }
  const numbers: Record<string, Page> = { '/metrics': () => metrics.text() }
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
