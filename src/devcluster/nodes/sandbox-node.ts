import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { MachineConfig } from '../../api/resources.ts'
import { sleep } from '@machinist/core/clock'
import { Metrics } from '@machinist/core/metrics'
import type { DaemonEnd } from '../../daemon/daemon.ts'
import { runDaemon } from '../../daemon/daemon.ts'
import { realDisk } from '../../daemon/host/disk.ts'
import type { Sandbox } from '../../daemon/host/sandbox/sandbox.ts'
import { openSandbox } from '../../daemon/host/sandbox/sandbox.ts'
import type { KubeClient } from '@machinist/kube/client'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import type { PlannedNode } from '../cluster-size.ts'
import { faultyDisk } from './faulty-disk.ts'
import { installMachine } from './ignition-stand-in.ts'
import type { NodeFault } from '../../views/status/node-fault.ts'
import { nodeFaults } from '../../views/status/node-fault.ts'
import { giveKubeconfigs } from './node-kubeconfigs.ts'
import type { Health } from './node-object.ts'
import { nodeExists, registerNode, tellHealth } from './node-object.ts'
import { seen } from '../stand-ins/seen.ts'
import type { Tools } from '../stand-ins/stand-in-caches.ts'

export interface SandboxNodeOptions extends Omit<Tools, 'metrics'> {
  /** Machines are directories in here, by the node's name. */
  readonly directory: string
  /** With which its daemon speaks to the API; as everybody here unless given. */
  readonly daemonClient?: KubeClient
  readonly node: PlannedNode
  readonly bootMs: number
  /** Where the node's faults are found. */
  readonly nodes: Informer<Node>
  /** PEM of the CAs by which kubelets that join know the API server at first. */
  readonly apiCA: () => string
  /** What a machine that joins this pool is served, as soon as there is something. */
  readonly configFor: (pool: string, signal: AbortSignal) => Promise<MachineConfig>
}

const tryAgainMs = 5000

/** How many times longer a slow machine takes to boot. */
const slowBoot = 5

/** The life of one node until the signal aborts: first boot, joining, its daemon, reboots and the faults users give it. */
export async function runSandboxNode(
  options: SandboxNodeOptions,
  signal: AbortSignal,
): Promise<void> {
  const { node, clock } = options
  const log = options.log.with({ node: node.name })
  while (!signal.aborted) {
    try {
      await live({ ...options, log }, signal)
    } catch (error) {
      if (signal.aborted) return
      log.error('the sandbox has a problem', error)
      await sleep(clock, tryAgainMs, signal)
    }
  }
}

async function live(options: SandboxNodeOptions, signal: AbortSignal): Promise<void> {
  const { node, nodes, client, clock, log, bootMs } = options
  const root = join(options.directory, node.name)
  const faults = (): ReadonlySet<NodeFault> => nodeFaults(nodes.get(node.name))
  const disk = faultyDisk(realDisk, clock, faults)
  const open = (): Promise<Sandbox> => openSandbox({ root, clock, disk, plainLinks: true })
  let machine = await open()
  if (!(await nodeExists(client, node.name))) {
    const served = (): Promise<MachineConfig> => options.configFor(node.pool, signal)
    await installMachine({ machine, clock, log }, served, signal)
    if (signal.aborted) return
    await registerNode(client, node)
  }
  await seen(nodes, () => nodes.get(node.name) !== undefined, signal)
  await giveKubeconfigs(machine.files, options.apiCA())
  while (!signal.aborted) {
    const bootId = await machine.power.bootId()
    if (faults().has('power-off')) {
      await tellHealth(client, clock, node, { ...lost, bootId })
      await seen(nodes, () => !faults().has('power-off'), signal)
      if (signal.aborted) return
      machine = await open()
      await machine.boot()
    } else if ((await runPowered(options, machine, faults, signal)) === 'rebooting') {
      await tellHealth(client, clock, node, { ...rebooting, bootId })
      await sleep(clock, faults().has('slow') ? bootMs * slowBoot : bootMs, signal)
      if (signal.aborted) return
      machine = await open()
    }
  }
}

/** The daemon and the kubelet's reports, until the machine goes down, its power is cut or the signal aborts. */
async function runPowered(
  options: SandboxNodeOptions,
  machine: Sandbox,
  faults: () => ReadonlySet<NodeFault>,
  signal: AbortSignal,
): Promise<DaemonEnd> {
  const { node, nodes, client, daemonClient = client, clock, random, log } = options
  const bootId = await machine.power.bootId()
  const down = new AbortController()
  const ends = AbortSignal.any([signal, down.signal])
  const health = (): Health => ({ ...healthOf(faults()), bootId })
  let reported = health()
  await tellHealth(client, clock, node, reported)
  const follow = async (): Promise<void> => {
    while (!ends.aborted) {
      await seen(nodes, () => !isDeepStrictEqual(health(), reported), ends)
      if (ends.aborted) return
      if (faults().has('power-off')) return down.abort()
      reported = health()
      await tellHealth(client, clock, node, reported)
    }
  }
  const following = follow().catch((error: unknown) => {
    log.error('could not report the health of a sandbox node', error)
  })
  const daemon = { node: node.name, client: daemonClient, clock, random, log }
  const end = await runDaemon({ ...daemon, metrics: new Metrics(), host: machine }, ends)
  down.abort()
  await following
  return end
}

/** Pure: how a machine with these faults looks to the cluster while its daemon runs. */
function healthOf(faults: ReadonlySet<NodeFault>): Omit<Health, 'bootId'> {
  if (faults.has('power-off')) return lost
  return faults.has('not-ready')
    ? { ready: 'False', why: 'the kubelet is stopped' }
    : { ready: 'True', why: 'kubelet is ready' }
}

const lost = { ready: 'Unknown', why: 'Kubelet stopped posting node status.' } as const
const rebooting = { ready: 'False', why: 'the machine reboots' } as const
