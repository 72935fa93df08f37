import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import type { KubeClient } from '@machinist/kube/client/client'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { ControllerRunner } from '@machinist/kube/controller/controller-runner'
import { Recorder } from '@machinist/kube/events/recorder'
import type { FollowSettings } from './follow/follow.ts'
import { followController } from './follow/follow.ts'
import type { Host } from './host/host.ts'
import { OwnNode } from './node/own-node.ts'
import type { PinnedImagesSettings } from './pinned-images/pinned-images.ts'
import { openPinnedImages } from './pinned-images/open-pinned-images.ts'
import { daemonMetrics } from './report/daemon-metrics.ts'
import type { KubeletProbe } from './report/kubelet-health.ts'
import { watchKubelet } from './report/kubelet-health.ts'
import { MachineConfigNodeReporter } from './report/machine-config-node.ts'
import { NodeReporter } from './report/reporter.ts'
import { prepareStart, readBootReport } from './start.ts'
import type { TrustSettings } from './trust/open-trust.ts'
import { openTrust } from './trust/open-trust.ts'

export interface DaemonOptions
  extends
    Omit<ControllerContext, 'events'>,
    Omit<FollowSettings, 'finalizationFailure'>,
    Omit<TrustSettings, 'rules'> {
  /** The name of this machine's Node. */
  readonly node: string
  /** Writes the Node with the node's own credentials; `client` is the default. */
  readonly nodeClient?: KubeClient
  /** Health check of the kubelet; without it, the kubelet is not checked. */
  readonly kubelet?: KubeletProbe
  readonly host: Host
  readonly pinnedImages?: PinnedImagesSettings
  /** Called once, when the daemon follows its Node. */
  readonly ready?: () => void
}

/** Why a daemon ended: its signal aborted, or the machine reboots. After a reboot a new daemon must start. */
export type DaemonEnd = 'stopped' | 'rebooting'

/** Follows its Node until the signal aborts or the machine reboots. */
export async function runDaemon(options: DaemonOptions, signal: AbortSignal): Promise<DaemonEnd> {
  const { client, clock, random, log, metrics, host } = options
  const stop = new AbortController()
  const signals = AbortSignal.any([signal, stop.signal])
  let end: DaemonEnd = 'stopped'
  const endForReboot = (): void => {
    end = 'rebooting'
    stop.abort()
  }
  if (!(await prepareStart(options, signals))) return end
  const { nodeClient: writer, ...others } = options
  const node = new OwnNode({ ...others, name: options.node, ...(writer && { writer }) })
  // The last events and conditions are still written while the daemon stops.
  const reporting = new AbortController()
  const progress = new MachineConfigNodeReporter(client, clock, log, reporting.signal)
  const events = new Recorder({
    ...options,
    api: client,
    component: 'machineconfigdaemon',
    instance: options.node,
  })
  const nodeMetrics = daemonMetrics(metrics, clock)
  nodeMetrics.os(await host.os.facts())
  const boot = await readBootReport(options)
  nodeMetrics.foreignPackages(options.node, boot.foreignPackages.length)
  const reporter = new NodeReporter({ node, events, progress, metrics: nodeMetrics, log })
  const context = { client, clock, random, log, metrics, events }
  const machine = { node, host, stop: signals }
  const inTrust = { ...context, log: log.with({ lane: 'trust' }) }
  const trust = await openTrust(inTrust, machine, options)
  const { view, certificates, config } = trust
  const follow = followController(
    context,
    { ...machine, trust: view, certificates, reporter, rebooting: endForReboot },
    { ...options, ...boot },
  )
  const inPinnedImages = { ...context, log: log.with({ lane: 'pinned-images' }) }
  const pinnedImages = openPinnedImages(
    inPinnedImages,
    { ...machine, config },
    options.pinnedImages,
  )
  // A restore of etcd may have reverted the last report.
  node.informer.onRelist(() => progress.forget())
  const informing = [node.informer, config].map((informer) => informer.start(signals))
  const { kubelet: probe } = options
  if (probe)
    void watchKubelet(
      { probe, clock, log, failures: (inARow) => nodeMetrics.kubelet(inARow) },
      signals,
    )
  void node.informer.synced().then((isSynced) => isSynced && options.ready?.())
  const runners = [
    new ControllerRunner(follow, context),
    new ControllerRunner(trust.controller, inTrust),
    new ControllerRunner(pinnedImages, inPinnedImages),
  ]
  await Promise.all(runners.map((runner) => runner.run(signals)))
  await Promise.all(informing)
  await flushReports(clock, [events.close(), progress.flush()])
  reporting.abort()
  return end
}

/** Waits a few seconds for the last reports to be written. */
async function flushReports(clock: Clock, writes: readonly Promise<void>[]): Promise<void> {
  const timeout = new AbortController()
  await Promise.race([Promise.all(writes), sleep(clock, 5000, timeout.signal)])
  timeout.abort()
}
