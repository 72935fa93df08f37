import { join } from 'node:path'
import type { MachineConfig } from '../../api/resources.ts'
import { sleep } from '../../base/clock.ts'
import { Metrics } from '../../base/metrics.ts'
import { runDaemon } from '../../daemon/daemon.ts'
import type { Sandbox } from '../../daemon/host/sandbox/sandbox.ts'
import { openSandbox } from '../../daemon/host/sandbox/sandbox.ts'
import type { KubeClient } from '../../kube/client.ts'
import type { PlannedNode } from './cluster-size.ts'
import { installMachine } from './ignition-stand-in.ts'
import { giveKubeconfigs } from './node-kubeconfigs.ts'
import { nodeExists, registerNode, tellHealth } from './node-object.ts'
import type { Tools } from './stand-in-caches.ts'

export interface SandboxNodeOptions extends Omit<Tools, 'metrics'> {
  /** Machines are directories in here, by the node's name. */
  readonly directory: string
  /** With which its daemon speaks to the API; as everybody here unless given. */
  readonly daemonClient?: KubeClient
  readonly node: PlannedNode
  readonly bootMs: number
  /** PEM of the CAs by which kubelets that join know the API server at first. */
  readonly apiCA: () => string
  /** What a machine that joins this pool is served, as soon as there is something. */
  readonly configFor: (pool: string, signal: AbortSignal) => Promise<MachineConfig>
}

const tryAgainMs = 5000

/** The life of one node until the signal aborts: first boot, joining, its daemon, and as many reboots as that one wants. */
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
  const { node, client, daemonClient = client, clock, random, log, bootMs } = options
  const root = join(options.directory, node.name)
  const open = (): Promise<Sandbox> => openSandbox({ root, clock, plainLinks: true })
  let machine = await open()
  if (!(await nodeExists(client, node.name))) {
    const served = (): Promise<MachineConfig> => options.configFor(node.pool, signal)
    await installMachine({ machine, clock, log }, served, signal)
    if (signal.aborted) return
    await registerNode(client, node)
  }
  await giveKubeconfigs(machine.files, options.apiCA())
  while (!signal.aborted) {
    const bootId = await machine.power.bootId()
    await tellHealth(client, clock, node, { ready: true, why: 'kubelet is ready', bootId })
    const daemon = { node: node.name, client: daemonClient, clock, random, log }
    const end = await runDaemon({ ...daemon, metrics: new Metrics(), host: machine }, signal)
    if (end === 'stopped') return
    await tellHealth(client, clock, node, { ready: false, why: 'the machine reboots', bootId })
    await sleep(clock, bootMs, signal)
    if (signal.aborted) return
    machine = await open()
  }
}
