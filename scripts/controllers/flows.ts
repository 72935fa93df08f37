import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { KubeClient } from '@machinist/kube/client/client'
import type { ControllerFlow } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { clusterControllers } from '../../src/controllers/run-controllers.ts'
import { sharedCaches } from '../../src/controllers/shared-caches.ts'
import { followController } from '../../src/daemon/follow/follow.ts'
import { MemoryHost } from '../../src/daemon/host/memory/memory-host.ts'
import { OwnNode } from '../../src/daemon/node/own-node.ts'
import { openPinnedImages } from '../../src/daemon/pinned-images/open-pinned-images.ts'
import { daemonMetrics } from '../../src/daemon/report/daemon-metrics.ts'
import { MachineConfigNodeReporter } from '../../src/daemon/report/machine-config-node.ts'
import { NodeReporter } from '../../src/daemon/report/reporter.ts'
import { openTrust } from '../../src/daemon/trust/open-trust.ts'
import { operatorControllers } from '../../src/operator/run-operator.ts'
import { loadTemplates } from '../../src/process/templates.ts'
import { signerControllers } from '../../src/signer/run-signer.ts'

/** A component with the data flow of its controllers. */
export interface ComponentFlows {
  readonly name: string
  /** The folder under `src/`. */
  readonly room: string
  readonly flows: readonly ControllerFlow[]
}

/** Creates every controller without running it, and returns what it reads and writes. */
export async function componentFlows(metrics = new Metrics()): Promise<ComponentFlows[]> {
  const context = idleContext(metrics)
  const ignore = (): void => undefined
  const templates = await loadTemplates([])
  const controllers = clusterControllers(
    { maker: { build: '', version: '' }, templates },
    context,
    sharedCaches(context, ignore),
  )
  return [
    {
      name: 'operator',
      room: 'operator',
      flows: operatorControllers({ version: '0' }, context, ignore),
    },
    { name: 'controllers', room: 'controllers', flows: controllers },
    { name: 'signer', room: 'signer', flows: signerControllers({}, context, ignore) },
    { name: 'daemon', room: 'daemon', flows: await daemonFlows(context) },
  ]
}

async function daemonFlows(context: ControllerContext): Promise<ControllerFlow[]> {
  const { client, clock, log, metrics, events } = context
  const stop = new AbortController().signal
  const host = new MemoryHost()
  const node = new OwnNode({ ...context, name: 'node' })
  const machine = { node, host, stop }
  const progress = new MachineConfigNodeReporter(client, clock, log, stop)
  const reporter = new NodeReporter({
    node,
    events,
    progress,
    metrics: daemonMetrics(metrics, clock),
    log,
  })
  const trust = await openTrust(context, machine, {})
  const { view, certificates, config } = trust
  const parts = { ...machine, trust: view, certificates, reporter, rebooting: () => undefined }
  return [
    followController(context, parts),
    trust.controller,
    openPinnedImages(context, { ...machine, config }),
  ]
}

/** Tools that send nothing and never tick. */
function idleContext(metrics: Metrics): ControllerContext {
  const clock = new VirtualClock()
  const refuse = (): never => {
    throw new Error('a controller that does not run sends no request')
  }
  const transport = { request: refuse, stream: refuse, close: () => undefined }
  return {
    client: new KubeClient({ transport, clock }),
    clock,
    random: seededRandom(1),
    log: silentLogger,
    metrics,
    events: { normal: () => undefined, warning: () => undefined },
  }
}
