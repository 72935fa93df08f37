import { systemClock } from '../../base/clock.ts'
import type { Logger } from '../../base/log.ts'
import { createLogger } from '../../base/log.ts'
import { Metrics } from '../../base/metrics.ts'
import { systemRandom } from '../../base/random.ts'
import { runDaemon } from '../../daemon/daemon.ts'
import type { DriftPolicy } from '../../daemon/drift/drift-policy.ts'
import type { RuleSource } from '../../daemon/follow/rule-source.ts'
import type { Host } from '../../daemon/host/host.ts'
import { KubeClient } from '../../kube/client.ts'
import { connectTo } from '../../kube/connection/credentials.ts'
import { realFiles } from '../../kube/connection/files.ts'
import { loadTarget } from '../../kube/connection/load.ts'
import { commandRunner } from '../../kube/connection/run-command.ts'
import { HttpTransport } from '../../kube/transport-http.ts'
import type { Terminal } from '../terminal.ts'
import { version } from '../version.ts'
import { holdMachine } from './daemon-lock.ts'

export interface MachineChoice {
  readonly host: 'linux' | 'sandbox'
  readonly root?: string
}

export interface DaemonRunOptions extends MachineChoice {
  readonly node: string
  readonly kubeconfig?: string
  readonly rules: RuleSource
  readonly drift: DriftPolicy
  readonly ignoreDrift?: readonly string[]
  readonly metrics?: { readonly host: string; readonly port: number }
}

/** Runs the daemon until SIGTERM. A sandbox that reboots comes up again at once, with another daemon. */
export async function runDaemonProcess(
  options: DaemonRunOptions,
  terminal: Terminal,
): Promise<void> {
  const { node, rules, drift, ignoreDrift: ignoredDrift = [] } = options
  const clock = systemClock
  const log = createLogger({ clock, write: terminal.error }).with({ node })
  const stop = new AbortController()
  const stopped = terminal.stopped().then(() => stop.abort())
  const metrics = new Metrics()
  const closing: (() => Promise<void> | void)[] = []
  try {
    let machine = await openMachine(options)
    closing.push(await holdMachine(machine.root))
    const { client, close } = await connected(options, metrics, log)
    closing.push(close)
    const served = options.metrics && (await serve(metrics, options.metrics))
    if (served) closing.push(() => served.stop())
    const ready = once(() => {
      const where = served === undefined ? '' : `, metrics at ${served.url}`
      terminal.out(`ready: following node ${node}${where}\n`)
    })
    const daemon = { node, client, clock, random: systemRandom, log, metrics, rules, drift, ready }
    for (;;) {
      const { host } = machine
      const end = await runDaemon({ ...daemon, host, ignoredDrift }, stop.signal)
      if (end === 'stopped') return
      // systemd ends this process on a real machine's way down.
      if (options.host === 'linux') return await stopped
      log.info('the sandbox reboots')
      machine = await openMachine(options)
    }
  } finally {
    for (const close of closing.toReversed()) await close()
  }
}

function once(task: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) task()
    isDone = true
  }
}

export interface OpenMachine {
  readonly host: Host
  readonly root: string
}

/** A sandbox that went down is booted by opening it. Only what is needed is loaded. */
export async function openMachine(choice: MachineChoice): Promise<OpenMachine> {
  const clock = systemClock
  if (choice.host === 'sandbox') {
    const { openSandbox } = await import('../../daemon/host/sandbox/sandbox.ts')
    const root = choice.root ?? '.'
    return { host: await openSandbox({ root, clock }), root }
  }
  const { linuxHost } = await import('../../daemon/host/linux/linux-host.ts')
  const root = choice.root ?? '/'
  return { host: linuxHost({ clock, root }), root }
}

async function connected(
  { kubeconfig }: DaemonRunOptions,
  metrics: Metrics,
  logger: Logger,
): Promise<{ client: KubeClient; close: () => void }> {
  const clock = systemClock
  const { env } = process
  const target = await loadTarget({
    ...(kubeconfig !== undefined && { kubeconfig }),
    env,
    home: env['HOME'],
    files: realFiles,
  })
  const run = commandRunner({ clock, env })
  const connection = connectTo({ target, files: realFiles, run, clock, logger })
  const transport = new HttpTransport({ connection, clock, metrics, version })
  const client = new KubeClient({ transport, clock, logger })
  return { client, close: () => transport.close() }
}

async function serve(
  metrics: Metrics,
  address: { readonly host: string; readonly port: number },
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const { serveMetrics } = await import('./daemon-metrics.ts')
  return serveMetrics(metrics, address)
}
