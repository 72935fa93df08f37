import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { sleep } from '@machinist/core/clock'
import { Metrics } from '@machinist/core/metrics'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import type { MachineConfig } from '../../api/kinds/resources.ts'
import type { DaemonEnd } from '../../daemon/daemon.ts'
import { runDaemon } from '../../daemon/daemon.ts'
import { realDisk } from '../../daemon/host/files/disk.ts'
import type { Sandbox } from '../../daemon/host/sandbox/sandbox.ts'
import { openSandbox } from '../../daemon/host/sandbox/sandbox.ts'
import type { PlannedNode } from '../size/cluster-size.ts'
import type { NodeFault } from '../../views/status/node-fault.ts'
import { nodeFaults } from '../../views/status/node-fault.ts'
import { nodeExists } from '../objects/node-exists.ts'
import { waitUntil } from '../objects/wait-until.ts'
import type { DevclusterTools } from '../objects/tools.ts'
import { faultyDisk } from './faulty-disk.ts'
import { installMachine } from './ignition-stand-in.ts'
import { writeKubeconfigs } from './node-kubeconfigs.ts'
import type { NodeHealth } from './node-object.ts'
import { registerNode, reportHealth } from './node-object.ts'

export interface SandboxNodeOptions extends Omit<DevclusterTools, 'metrics'> {
  /** Parent directory of the machines, which are directories with the name of the node. */
  readonly directory: string
  /** The client of its daemon. Defaults to the shared client. */
  readonly daemonClient?: KubeClient
  readonly node: PlannedNode
  readonly bootMs: number
  /** The Nodes, whose annotations contain the faults. */
  readonly nodes: Informer<Node>
  /** PEM of the CAs by which joining kubelets verify the API server. */
  readonly apiCA: () => string
  /** The config for a machine that joins this pool; waits until there is one. */
  readonly configFor: (pool: string, signal: AbortSignal) => Promise<MachineConfig>
}

const retryMs = 5000

/** Factor by which a slow machine takes longer to boot. */
const slowBoot = 5

/** Runs one node until the signal aborts: first boot, joining, daemon, reboots and injected faults. */
export async function runSandboxNode(
  options: SandboxNodeOptions,
  signal: AbortSignal,
): Promise<void> {
  const { node, clock } = options
  const log = options.log.with({ node: node.name })
  while (!signal.aborted) {
    try {
      await runNode({ ...options, log }, signal)
    } catch (error) {
      if (signal.aborted) return
      log.error('sandbox node failed', error)
      await sleep(clock, retryMs, signal)
    }
  }
}

async function runNode(options: SandboxNodeOptions, signal: AbortSignal): Promise<void> {
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
  await waitUntil(nodes, () => nodes.get(node.name) !== undefined, signal)
  await writeKubeconfigs(machine.files, options.apiCA())
  while (!signal.aborted) {
    const bootId = await machine.power.bootId()
    if (faults().has('power-off')) {
      await reportHealth(client, clock, node, { ...lost, bootId })
      await waitUntil(nodes, () => !faults().has('power-off'), signal)
      if (signal.aborted) return
      machine = await open()
      await machine.boot()
    } else if ((await runPowered(options, machine, faults, signal)) === 'rebooting') {
      await reportHealth(client, clock, node, { ...rebooting, bootId })
      await sleep(clock, faults().has('slow') ? bootMs * slowBoot : bootMs, signal)
      if (signal.aborted) return
      machine = await open()
    }
  }
}

/** Runs the daemon and the health reports until the machine goes down, its power is cut or the signal aborts. */
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
  const health = (): NodeHealth => ({ ...healthOf(faults()), bootId })
  let reported = health()
  await reportHealth(client, clock, node, reported)
  const follow = async (): Promise<void> => {
    while (!ends.aborted) {
      await waitUntil(nodes, () => !isDeepStrictEqual(health(), reported), ends)
      if (ends.aborted) return
      if (faults().has('power-off')) return down.abort()
      reported = health()
      await reportHealth(client, clock, node, reported)
    }
  }
  const following = follow().catch((error: unknown) => {
    log.error('cannot report the health of a sandbox node', error)
  })
  const daemon = { node: node.name, client: daemonClient, clock, random, log }
  const end = await runDaemon({ ...daemon, metrics: new Metrics(), host: machine }, ends)
  down.abort()
  await following
  return end
}

/** Pure: the health that a machine with these faults reports while its daemon runs. */
function healthOf(faults: ReadonlySet<NodeFault>): Omit<NodeHealth, 'bootId'> {
  if (faults.has('power-off')) return lost
  return faults.has('not-ready')
    ? { ready: 'False', why: 'the kubelet is stopped' }
    : { ready: 'True', why: 'kubelet is ready' }
}

const lost = { ready: 'Unknown', why: 'Kubelet stopped posting node status.' } as const
const rebooting = { ready: 'False', why: 'the machine is rebooting' } as const
