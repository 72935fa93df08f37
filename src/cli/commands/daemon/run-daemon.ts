import { systemClock } from '@machinist/core/clock'
import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { systemRandom } from '@machinist/core/random'
import type { KubeClient } from '@machinist/kube/client/client'
import { runDaemon } from '../../../daemon/daemon.ts'
import type { DriftPolicy } from '../../../daemon/drift/drift-policy.ts'
import type { RuleSource } from '../../../daemon/follow/rule-source.ts'
import type { Host } from '../../../daemon/host/host.ts'
import type { MountedSecrets } from '../../../daemon/host/files/mounted-secrets.ts'
import type { KubeletProbe } from '../../../daemon/report/kubelet-health.ts'
import type { ConnectOptions } from '../../../process/connect.ts'
import { connect } from '../../../process/connect.ts'
import type { GuardTools } from '../../../process/page-guard.ts'
import type { Address, ServedPages } from '../../../process/pages.ts'
import type { Terminal } from '../../../process/terminal.ts'
import { daemonIdle, releaseIdleMemory, ownHeap } from '../../../process/idle-memory.ts'
import type { SecureMetrics } from '../../../process/component-options.ts'
import type { ApiAddress } from './kubelet-kubeconfig.ts'
import { lockMachine } from './machine-lock.ts'

export interface MachineChoice {
  readonly host: 'linux' | 'sandbox'
  readonly root?: string
}

export interface DaemonRunOptions extends MachineChoice {
  readonly node: string
  /** A file, or `auto` for the kubelet's kubeconfig on the machine. */
  readonly kubeconfig?: string
  /** The kubeconfig whose credentials write the Node, likewise. Defaults to `kubeconfig`. */
  readonly nodeKubeconfig?: string
  /** Health endpoint of the kubelet, or `off`. */
  readonly kubeletHealth?: string
  readonly rules: RuleSource
  readonly drift: DriftPolicy
  readonly ignoreDrift?: readonly string[]
  /** Directory of the mounted pull secrets, one directory per role. */
  readonly pullSecrets?: string
  /** Bytes that pinned images must leave free. */
  readonly keepFree?: number
  readonly metrics?: Address
  readonly secureMetrics?: SecureMetrics
}

/** Runs the daemon until SIGTERM. After a reboot of a sandbox, a new daemon starts immediately. */
export async function runDaemonProcess(
  options: DaemonRunOptions,
  terminal: Terminal,
): Promise<void> {
  const { node, rules, drift, ignoreDrift: ignoredDrift = [], keepFree: keepFreeBytes } = options
  const clock = systemClock
  const log = createLogger({ clock, write: terminal.error }).with({ node })
  const stop = new AbortController()
  const stopped = terminal.stopped().then(() => stop.abort())
  const metrics = new Metrics()
  const heap = ownHeap()
  if (heap) void releaseIdleMemory(heap, clock, stop.signal, daemonIdle)
  const closing: (() => Promise<void> | void)[] = []
  try {
    const kubelet = await kubeletProbe(options)
    let machine = await openMachine(options)
    closing.push(await lockMachine(machine.root))
    const openClient = async (access: ConnectOptions): Promise<KubeClient> => {
      const connected = await connect({ ...access, metrics, logger: log })
      closing.push(() => connected.close())
      return connected.client
    }
    const { own, ofNode } = await connectOptions(options, machine)
    const client = await openClient(own)
    const nodeClient = ofNode ? await openClient(ofNode) : client
    let isReady = false
    const served = await serve(options, { client: nodeClient, clock, log, metrics }, () => isReady)
    if (served) closing.push(() => served.stop())
    const ready = once(() => {
      isReady = true
      const where = served === undefined ? '' : `, metrics at ${served.url}`
      terminal.out(`ready: following node ${node}${where}\n`)
    })
    const clients = { client, nodeClient, ...(kubelet && { kubelet }) }
    const mountedSecrets = await mountedPullSecrets(options)
    const choices = {
      rules,
      drift,
      ignoredDrift,
      ...(mountedSecrets && { mountedSecrets }),
      ...(keepFreeBytes !== undefined && { pinnedImages: { keepFreeBytes } }),
    }
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
      // systemd ends this process when a real machine shuts down.
      if (options.host === 'linux') return await stopped
      log.info('sandbox reboots')
      machine = await openMachine(options)
    }
  } finally {
    for (const close of closing.toReversed()) await close()
  }
}

/** The credentials of the daemon, and those that write the Node if they are different. */
async function connectOptions(
  { host, kubeconfig, nodeKubeconfig }: DaemonRunOptions,
  machine: OpenMachine,
): Promise<{ readonly own: ConnectOptions; readonly ofNode?: ConnectOptions }> {
  const own = kubeconfig === 'auto' ? await onMachine(kubeconfig, machine) : { kubeconfig }
  if (nodeKubeconfig === undefined) return { own }
  // A sandbox has no kubeconfig files of its own: the path is one of this machine.
  const isLocal = host === 'sandbox' && nodeKubeconfig !== 'auto'
  if (isLocal) return { own, ofNode: { kubeconfig: nodeKubeconfig } }
  const { api: inCluster, ...ofNode } = await onMachine(nodeKubeconfig, machine)
  return { own: { ...own, inCluster }, ofNode }
}

/** Uses a kubeconfig of the machine, below its root directory. */
async function onMachine(
  path: string,
  { host, enter }: OpenMachine,
): Promise<ConnectOptions & { readonly api: ApiAddress | undefined }> {
  const { apiAddressIn, kubeletKubeconfig, machineFiles } = await import('./kubelet-kubeconfig.ts')
  const files = machineFiles(host.files)
  const kubeconfig = path === 'auto' ? await kubeletKubeconfig(files) : path
  return { kubeconfig, machine: { files, enter }, api: await apiAddressIn(kubeconfig, files) }
}

/** By default, only a real machine has a kubelet. */
async function kubeletProbe(options: DaemonRunOptions): Promise<KubeletProbe | undefined> {
  const fallback = options.host === 'linux' ? 'http://localhost:10248/healthz' : 'off'
  const { kubeletHealth: endpoint = fallback } = options
  if (endpoint === 'off') return undefined
  const { kubeletHealthCheck } = await import('@machinist/kube/nodes/kubelet-health')
  return kubeletHealthCheck(endpoint)
}

/** By default, only a real machine has mounted pull secrets. */
async function mountedPullSecrets(options: DaemonRunOptions): Promise<MountedSecrets | undefined> {
  const fallback = options.host === 'linux' ? '/run/secrets/os-image-pull-secrets' : undefined
  const { pullSecrets: directory = fallback } = options
  if (directory === undefined) return undefined
  const { mountedSecretsAt } = await import('../../../daemon/host/files/mounted-secrets.ts')
  return mountedSecretsAt(directory)
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
  /** The command prefix that runs programs of the machine, such as chroot. */
  readonly enter: readonly string[]
}

/** Opening a sandbox that is down boots it. Loads only the driver that is needed. */
export async function openMachine(choice: MachineChoice): Promise<OpenMachine> {
  const clock = systemClock
  if (choice.host === 'sandbox') {
    const { openSandbox } = await import('../../../daemon/host/sandbox/sandbox.ts')
    const root = choice.root ?? '.'
    return { host: await openSandbox({ root, clock }), root, enter: [] }
  }
  const { linuxHost } = await import('../../../daemon/host/linux/linux-host.ts')
  const { chrootInto } = await import('../../../daemon/host/linux/commands/system-runner.ts')
  const root = choice.root ?? '/'
  return { host: linuxHost({ clock, root }), root, enter: chrootInto(root) }
}

async function serve(
  { metrics: address, secureMetrics }: DaemonRunOptions,
  { metrics, ...tools }: GuardTools & { readonly metrics: Metrics },
  isReady: () => boolean,
): Promise<ServedPages | undefined> {
  if (address === undefined) return undefined
  const { serveMetrics } = await import('./serve-metrics.ts')
  if (secureMetrics === undefined) return serveMetrics(metrics, address, isReady)
  const { createPageGuard } = await import('../../../process/page-guard.ts')
  return serveMetrics(metrics, address, isReady, await createPageGuard(tools, secureMetrics))
}
