import { systemClock } from '../../base/clock.ts'
import { createLogger } from '../../base/log.ts'
import { Metrics } from '../../base/metrics.ts'
import { systemRandom } from '../../base/random.ts'
import { runDaemon } from '../../daemon/daemon.ts'
import type { DriftPolicy } from '../../daemon/drift/drift-policy.ts'
import type { RuleSource } from '../../daemon/follow/rule-source.ts'
import type { Host } from '../../daemon/host/host.ts'
import type { MountedSecrets } from '../../daemon/host/mounted-secrets.ts'
import type { KubeletProbe } from '../../daemon/report/kubelet-health.ts'
import type { KubeClient } from '../../kube/client.ts'
import { connect } from '../connect.ts'
import type { Terminal } from '../terminal.ts'
import { holdMachine } from './daemon-lock.ts'
import { giveMemoryBack, ownHeap } from './daemon-memory.ts'

export interface MachineChoice {
  readonly host: 'linux' | 'sandbox'
  readonly root?: string
}

export interface DaemonRunOptions extends MachineChoice {
  readonly node: string
  readonly kubeconfig?: string
  /** With whose credentials the Node is written; those of `kubeconfig` if not said. */
  readonly nodeKubeconfig?: string
  /** Where the kubelet tells its health, or `off`. */
  readonly kubeletHealth?: string
  readonly rules: RuleSource
  readonly drift: DriftPolicy
  readonly ignoreDrift?: readonly string[]
  /** Where pull secrets are mounted beside the daemon, one directory per role. */
  readonly pullSecrets?: string
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
  const heap = ownHeap()
  if (heap) void giveMemoryBack(heap, clock, stop.signal)
  const closing: (() => Promise<void> | void)[] = []
  try {
    const kubelet = await kubeletProbe(options)
    let machine = await openMachine(options)
    closing.push(await holdMachine(machine.root))
    const reach = async (kubeconfig: string | undefined): Promise<KubeClient> => {
      const connected = await connect({ kubeconfig, metrics, logger: log })
      closing.push(() => connected.close())
      return connected.client
    }
    const client = await reach(options.kubeconfig)
    const { nodeKubeconfig } = options
    const nodeClient = nodeKubeconfig === undefined ? client : await reach(nodeKubeconfig)
    const served = options.metrics && (await serve(metrics, options.metrics))
    if (served) closing.push(() => served.stop())
    const ready = once(() => {
      const where = served === undefined ? '' : `, metrics at ${served.url}`
      terminal.out(`ready: following node ${node}${where}\n`)
    })
    const clients = { client, nodeClient, ...(kubelet && { kubelet }) }
    const mountedSecrets = await mountedPullSecrets(options)
    const choices = { rules, drift, ignoredDrift, ...(mountedSecrets && { mountedSecrets }) }
    const daemon = {
      node,
      clock,
      random: systemRandom,
      log,
      metrics,
      ready,
      ...clients,
      ...choices,
    }
    for (;;) {
      const { host } = machine
      const end = await runDaemon({ ...daemon, host }, stop.signal)
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

/** Only a real machine has one, unless somebody says where. */
async function kubeletProbe(options: DaemonRunOptions): Promise<KubeletProbe | undefined> {
  const usual = options.host === 'linux' ? 'http://localhost:10248/healthz' : 'off'
  const { kubeletHealth: endpoint = usual } = options
  if (endpoint === 'off') return undefined
  const { askKubelet } = await import('../../kube/kubelet-health.ts')
  return askKubelet(endpoint)
}

/** Beside a sandbox there are none, unless somebody says where. */
async function mountedPullSecrets(options: DaemonRunOptions): Promise<MountedSecrets | undefined> {
  const usual = options.host === 'linux' ? '/run/secrets/os-image-pull-secrets' : undefined
  const { pullSecrets: directory = usual } = options
  if (directory === undefined) return undefined
  const { secretsMountedAt } = await import('../../daemon/host/mounted-secrets.ts')
  return secretsMountedAt(directory)
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

async function serve(
  metrics: Metrics,
  address: { readonly host: string; readonly port: number },
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const { serveMetrics } = await import('./daemon-metrics.ts')
  return serveMetrics(metrics, address)
}
