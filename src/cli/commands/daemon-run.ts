import { systemClock } from '@machinist/core/clock'
import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { systemRandom } from '@machinist/core/random'
import { runDaemon } from '../../daemon/daemon.ts'
import type { DriftPolicy } from '../../daemon/drift/drift-policy.ts'
import type { RuleSource } from '../../daemon/follow/rule-source.ts'
import type { Host } from '../../daemon/host/host.ts'
import type { MountedSecrets } from '../../daemon/host/mounted-secrets.ts'
import type { KubeletProbe } from '../../daemon/report/kubelet-health.ts'
import type { KubeClient } from '@machinist/kube/client'
import type { ConnectOptions } from '../../process/connect.ts'
import { connect } from '../../process/connect.ts'
import type { GuardTools } from '../../process/page-guard.ts'
import type { Address, Served } from '../../process/pages.ts'
import type { Terminal } from '../../process/terminal.ts'
import { daemonRest, giveMemoryBack, ownHeap } from '../../process/memory-at-rest.ts'
import type { SecureMetrics } from '../../process/component-options.ts'
import type { ApiAddress } from './daemon-kubeconfig.ts'
import { holdMachine } from './daemon-lock.ts'

export interface MachineChoice {
  readonly host: 'linux' | 'sandbox'
  readonly root?: string
}

export interface DaemonRunOptions extends MachineChoice {
  readonly node: string
  /** A file, or `auto` for the kubelet's own, on the machine. */
  readonly kubeconfig?: string
  /** With whose credentials the Node is written, likewise; those of `kubeconfig` if not said. */
  readonly nodeKubeconfig?: string
  /** Where the kubelet tells its health, or `off`. */
  readonly kubeletHealth?: string
  readonly rules: RuleSource
  readonly drift: DriftPolicy
  readonly ignoreDrift?: readonly string[]
  /** Where pull secrets are mounted beside the daemon, one directory per role. */
  readonly pullSecrets?: string
  /** How many bytes pinned images leave free. */
  readonly keepFree?: number
  readonly metrics?: Address
  readonly secureMetrics?: SecureMetrics
}

/** Runs the daemon until SIGTERM. A sandbox that reboots comes up again at once, with another daemon. */
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
  if (heap) void giveMemoryBack(heap, clock, stop.signal, daemonRest)
  const closing: (() => Promise<void> | void)[] = []
  try {
    const kubelet = await kubeletProbe(options)
    let machine = await openMachine(options)
    closing.push(await holdMachine(machine.root))
    const reach = async (how: ConnectOptions): Promise<KubeClient> => {
      const connected = await connect({ ...how, metrics, logger: log })
      closing.push(() => connected.close())
      return connected.client
    }
    const { own, ofNode } = await accesses(options, machine)
    const client = await reach(own)
    const nodeClient = ofNode ? await reach(ofNode) : client
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
      // systemd ends this process on a real machine's way down.
      if (options.host === 'linux') return await stopped
      log.info('the sandbox reboots')
      machine = await openMachine(options)
    }
  } finally {
    for (const close of closing.toReversed()) await close()
  }
}

/** As whom: the daemon itself, and whoever writes the Node; the same, unless somebody says otherwise. */
async function accesses(
  { host, kubeconfig, nodeKubeconfig }: DaemonRunOptions,
  machine: OpenMachine,
): Promise<{ readonly own: ConnectOptions; readonly ofNode?: ConnectOptions }> {
  const own = kubeconfig === 'auto' ? await onMachine(kubeconfig, machine) : { kubeconfig }
  if (nodeKubeconfig === undefined) return { own }
  // A sandbox has no files of its own that anybody would name.
  const isElsewhere = host === 'sandbox' && nodeKubeconfig !== 'auto'
  if (isElsewhere) return { own, ofNode: { kubeconfig: nodeKubeconfig } }
  const { api: inCluster, ...ofNode } = await onMachine(nodeKubeconfig, machine)
  return { own: { ...own, inCluster }, ofNode }
}

/** By a kubeconfig of the machine, wherever its root is for us. */
async function onMachine(
  path: string,
  { host, enter }: OpenMachine,
): Promise<ConnectOptions & { readonly api: ApiAddress | undefined }> {
  const { apiAddressIn, kubeletKubeconfig, machineFiles } = await import('./daemon-kubeconfig.ts')
  const files = machineFiles(host.files)
  const kubeconfig = path === 'auto' ? await kubeletKubeconfig(files) : path
  return { kubeconfig, elsewhere: { files, enter }, api: await apiAddressIn(kubeconfig, files) }
}

/** Only a real machine has one, unless somebody says where. */
async function kubeletProbe(options: DaemonRunOptions): Promise<KubeletProbe | undefined> {
  const usual = options.host === 'linux' ? 'http://localhost:10248/healthz' : 'off'
  const { kubeletHealth: endpoint = usual } = options
  if (endpoint === 'off') return undefined
  const { askKubelet } = await import('@machinist/kube/kubelet-health')
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
  /** What leads to its programs. */
  readonly enter: readonly string[]
}

/** A sandbox that went down is booted by opening it. Only what is needed is loaded. */
export async function openMachine(choice: MachineChoice): Promise<OpenMachine> {
  const clock = systemClock
  if (choice.host === 'sandbox') {
    const { openSandbox } = await import('../../daemon/host/sandbox/sandbox.ts')
    const root = choice.root ?? '.'
    return { host: await openSandbox({ root, clock }), root, enter: [] }
  }
  const { linuxHost } = await import('../../daemon/host/linux/linux-host.ts')
  const { chrootInto } = await import('../../daemon/host/linux/system-runner.ts')
  const root = choice.root ?? '/'
  return { host: linuxHost({ clock, root }), root, enter: chrootInto(root) }
}

async function serve(
  { metrics: address, secureMetrics }: DaemonRunOptions,
  { metrics, ...tools }: GuardTools & { readonly metrics: Metrics },
  isReady: () => boolean,
): Promise<Served | undefined> {
  if (address === undefined) return undefined
  const { serveMetrics } = await import('./daemon-metrics.ts')
  if (secureMetrics === undefined) return serveMetrics(metrics, address, isReady)
  const { guardFor } = await import('../../process/page-guard.ts')
  return serveMetrics(metrics, address, isReady, await guardFor(tools, secureMetrics))
}
