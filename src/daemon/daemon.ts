import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Controller } from '@machinist/kube/controller/controller'
import { ControllerRunner } from '@machinist/kube/controller/controller-runner'
import { Recorder } from '@machinist/kube/events/recorder'
import { JournaledUpdates } from './apply/run/journaled-updates.ts'
import type { Updates } from './apply/update.ts'
import type { DriftPolicy } from './drift/drift-policy.ts'
import { DriftWatch } from './drift/drift-watch.ts'
import { DriftExceptions } from './drift/exceptions.ts'
import { Follower } from './follow/follower.ts'
import type { FollowSources } from './follow/gather.ts'
import { MachineSource } from './follow/gather.ts'
import { MachineConfigs } from './follow/machine-configs.ts'
import { FollowMemory } from './follow/memory.ts'
import { nodeInput } from './node/node-input.ts'
import { OwnNode } from './node/own-node.ts'
import { PolicySource } from './follow/policy-source.ts'
import type { RuleSource } from './follow/rule-source.ts'
import { UpdateRunner } from './follow/update-runner.ts'
import type { BootReport, Host } from './host/host.ts'
import type { MountedSecrets } from './host/files/mounted-secrets.ts'
import type { PinnedImagesSettings } from './pinned-images/pinned-images.ts'
import { runPinnedImages } from './pinned-images/pinned-images.ts'
import { daemonMetrics } from './report/daemon-metrics.ts'
import type { KubeletProbe } from './report/kubelet-health.ts'
import { watchKubelet } from './report/kubelet-health.ts'
import { MachineConfigNodeReporter } from './report/machine-config-node.ts'
import { NodeReporter } from './report/reporter.ts'
import { readBootReport, prepareStart } from './start.ts'
import type { Trust } from './trust/trust.ts'
import { openTrust } from './trust/trust.ts'

export interface DaemonOptions {
  /** The name of this machine's Node. */
  readonly node: string
  readonly client: KubeClient
  /** Writes the Node with the node's own credentials; `client` is the default. */
  readonly nodeClient?: KubeClient
  /** Health check of the kubelet; without it, the kubelet is not checked. */
  readonly kubelet?: KubeletProbe
  readonly host: Host
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
  /** The rules for drains, restarts and reboots; the cluster's policy by default. */
  readonly rules?: RuleSource
  /** How the daemon reacts to drift; it reports it by default. */
  readonly drift?: DriftPolicy
  /** Paths, directories and patterns in which drift is ignored. */
  readonly ignoredDrift?: readonly string[]
  /** Period over which the nodes of a cluster spread their reads of a trust change; 10 seconds by default. */
  readonly trustJitterMs?: number
  /** Pull secrets that are mounted into the daemon for the node's role; none by default. */
  readonly mountedSecrets?: MountedSecrets

  readonly pinnedImages?: PinnedImagesSettings
  /** How updates are applied; with a journal on the machine's disk by default. */
  readonly updates?: Updates
  /** Called once, when the daemon follows its Node. */
  readonly ready?: () => void
}

/** Why a daemon ended: its signal aborted, or the machine reboots. After a reboot a new daemon must start. */
export type DaemonEnd = 'stopped' | 'rebooting'

/** Follows its Node until the signal aborts or the machine reboots. */
export async function runDaemon(options: DaemonOptions, signal: AbortSignal): Promise<DaemonEnd> {
  const { host, clock, log, metrics } = options
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
  const progress = new MachineConfigNodeReporter(options.client, clock, log, reporting.signal)
  const events = new Recorder({
    ...options,
    api: options.client,
    component: 'machineconfigdaemon',
    instance: options.node,
  })
  const nodeMetrics = daemonMetrics(metrics, clock)
  nodeMetrics.os(await host.os.facts())
  const boot = await readBootReport(options)
  nodeMetrics.foreignPackages(options.node, boot.foreignPackages.length)
  const reporter = new NodeReporter({ node, events, progress, metrics: nodeMetrics, log })
  const trust = await openTrust(options, node, events, signals)
  const { controller, driftWatch, setWake } = buildFollower(
    { ...options, ...boot, trust },
    node,
    reporter,
    signals,
    endForReboot,
  )
  const runner = new ControllerRunner(controller, options)
  setWake(() => runner.enqueue(options.node))
  node.informer.onRelist(() => {
    progress.forget()
    runner.enqueue(options.node)
  })
  const informing = node.informer.start(signals)
  const { kubelet: probe } = options
  if (probe)
    void watchKubelet(
      { probe, clock, log, failures: (inARow) => nodeMetrics.kubelet(inARow) },
      signals,
    )
  void node.informer.synced().then((isSynced) => isSynced && options.ready?.())
  const pinning = runPinnedImages(options, node, trust.config, signals)
  await Promise.all([runner.run(signals), trust.run(), pinning])
  await informing
  driftWatch.pause()
  await flushReports(clock, [events.close(), progress.flush()])
  reporting.abort()
  return end
}

interface FollowerParts {
  readonly controller: Controller
  readonly driftWatch: DriftWatch
  readonly setWake: (wake: () => void) => void
}

function buildFollower(
  options: DaemonOptions & BootReport & { readonly trust: Trust },
  node: OwnNode,
  reporter: NodeReporter,
  signal: AbortSignal,
  rebooting: () => void,
): FollowerParts {
  const { host, client, clock, random, log, rules = 'policy', drift = 'report' } = options
  const { view: trust, certificates } = options.trust
  const exceptions = new DriftExceptions(options.ignoredDrift ?? [], certificates)
  const memory = new FollowMemory(clock, random)
  const updates =
    options.updates ??
    new JournaledUpdates({ host, clock, log, except: exceptions, shared: certificates })
  const sources: FollowSources = {
    node: () => node.view(),
    host,
    updates,
    configs: new MachineConfigs(client),
    policies: new PolicySource(rules, client, clock),
    delivery: async (isDue, requestSignal) => {
      if (isDue) await trust.catchUp(requestSignal)
      return trust.delivery
    },
    memory,
    machine: new MachineSource(host, rules),
    drift,
    ...(options.finalizationFailure !== undefined && {
      finalizationFailure: options.finalizationFailure,
    }),
  }
  let wake = (): void => {}
  const driftWatch = new DriftWatch({
    files: host.files,
    clock,
    random,
    exceptions,
    changed: () => {
      memory.invalidateChecked()
      wake()
    },
    forced: () => wake(),
  })
  let delivery = trust.delivery
  trust.subscribe(() => {
    if (trust.delivery === delivery) return
    delivery = trust.delivery
    // The delivery decides which files of the config are verified.
    memory.invalidateChecked()
    wake()
  })
  const runner = new UpdateRunner({
    updates,
    reporter,
    log,
    signal,
    relevant: (differences) => exceptions.without(differences),
  })
  const follower = new Follower({
    sources,
    reporter,
    runner,
    driftWatch,
    exceptions,
    kept: certificates,
    log,
    signal,
    rebooting,
  })
  const controller: Controller = {
    name: 'node-daemon',
    inputs: [nodeInput(node.informer)],
    outputs: ['Node', 'MachineConfigNode', 'Event'],
    reconcile: () => follower.reconcile(),
  }
  return {
    controller,
    driftWatch,
    setWake: (waker) => {
      wake = waker
    },
  }
}

/** Waits a few seconds for the last reports to be written. */
async function flushReports(clock: Clock, writes: readonly Promise<void>[]): Promise<void> {
  const timeout = new AbortController()
  await Promise.race([Promise.all(writes), sleep(clock, 5000, timeout.signal)])
  timeout.abort()
}
