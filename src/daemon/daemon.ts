import type { Clock } from '@machinist/core/clock'
import { sleep } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import type { KubeClient } from '@machinist/kube/client'
import type { Controller } from '@machinist/kube/controller/controller'
import { ControllerRunner } from '@machinist/kube/controller/controller-runner'
import { Recorder } from '@machinist/kube/events/recorder'
import { JournaledUpdates } from './apply/journaled-updates.ts'
import type { Updates } from './apply/update.ts'
import type { DriftPolicy } from './drift/drift-policy.ts'
import { DriftWatch } from './drift/drift-watch.ts'
import { Exceptions } from './drift/exceptions.ts'
import { Follower } from './follow/follower.ts'
import type { Sources } from './follow/gather.ts'
import { MachineSource } from './follow/gather.ts'
import { MachineConfigs } from './follow/machine-configs.ts'
import { Memory } from './follow/memory.ts'
import { nodeInput } from './follow/node-input.ts'
import { OwnNode } from './follow/own-node.ts'
import { PolicySource } from './follow/policy-source.ts'
import type { RuleSource } from './follow/rule-source.ts'
import { UpdateRunner } from './follow/run-update.ts'
import type { BootReport, Host } from './host/host.ts'
import type { MountedSecrets } from './host/mounted-secrets.ts'
import type { PinnedImagesSettings } from './pinned-images/pinned-images.ts'
import { runPinnedImages } from './pinned-images/pinned-images.ts'
import { daemonMetrics } from './report/daemon-metrics.ts'
import type { KubeletProbe } from './report/kubelet-health.ts'
import { watchKubelet } from './report/kubelet-health.ts'
import { MachineConfigNodeReporter } from './report/machine-config-node.ts'
import { Reporter } from './report/reporter.ts'
import { bootReport, prepared } from './start.ts'
import type { Trust } from './trust/trust.ts'
import { openTrust } from './trust/trust.ts'

export interface DaemonOptions {
  /** The name of the Node that this machine is. */
  readonly node: string
  readonly client: KubeClient
  /** Writes on the Node, with the node's own credentials; `client` does if there is none. */
  readonly nodeClient?: KubeClient
  /** Unless given, nobody asks the kubelet how it is. */
  readonly kubelet?: KubeletProbe
  readonly host: Host
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
  /** What decides about drains, restarts and reboots; the cluster's policy unless said otherwise. */
  readonly rules?: RuleSource
  /** What happens when the disk is not as its config says; it is reported unless said otherwise. */
  readonly drift?: DriftPolicy
  /** Paths, directories and patterns at which nobody looks for differences. */
  readonly ignoredDrift?: readonly string[]
  /** Over which time the nodes of a cluster spread their reads of a change of what they trust; 10 seconds. */
  readonly trustJitterMs?: number
  /** Pull secrets that are mounted beside the daemon for the node's role; none unless given. */
  readonly mountedSecrets?: MountedSecrets
  /** Of images that pools pin. */
  readonly pinnedImages?: PinnedImagesSettings
  /** Unless given, updates with a journal on the machine's own disk. */
  readonly updates?: Updates
  /** Called once, when the daemon follows its node. */
  readonly ready?: () => void
}

/** Why a daemon ended: it was told to, or its machine goes down. After a reboot, another one is needed. */
export type DaemonEnd = 'stopped' | 'rebooting'

/** Follows its Node until the signal aborts or the machine reboots. */
export async function runDaemon(options: DaemonOptions, signal: AbortSignal): Promise<DaemonEnd> {
  const { host, clock, log, metrics } = options
  const stop = new AbortController()
  const signals = AbortSignal.any([signal, stop.signal])
  let end: DaemonEnd = 'stopped'
  const goDown = (): void => {
    end = 'rebooting'
    stop.abort()
  }
  if (!(await prepared(options, signals))) return end
  const { nodeClient: writer, ...others } = options
  const node = new OwnNode({ ...others, name: options.node, ...(writer && { writer }) })
  // Events and conditions about the end may still be told after it began.
  const telling = new AbortController()
  const progress = new MachineConfigNodeReporter(options.client, clock, log, telling.signal)
  const events = new Recorder({
    ...options,
    api: options.client,
    component: 'machineconfigdaemon',
    instance: options.node,
  })
  const numbers = daemonMetrics(metrics, clock)
  numbers.os(await host.os.facts())
  const boot = await bootReport(options)
  numbers.foreignPackages(options.node, boot.foreignPackages.length)
  const reporter = new Reporter({ node, events, progress, metrics: numbers, log })
  const trust = await openTrust(options, node, events, signals)
  const { controller, driftWatch, wakeBy } = following(
    { ...options, ...boot, trust },
    node,
    reporter,
    signals,
    goDown,
  )
  const runner = new ControllerRunner(controller, options)
  wakeBy(() => runner.enqueue(options.node))
  node.informer.onRelist(() => {
    progress.forget()
    runner.enqueue(options.node)
  })
  const informing = node.informer.start(signals)
  const { kubelet: probe } = options
  if (probe)
    void watchKubelet({ probe, clock, log, failures: (inARow) => numbers.kubelet(inARow) }, signals)
  void node.informer.synced().then((isSynced) => isSynced && options.ready?.())
  const pinning = runPinnedImages(options, node, trust.config, signals)
  await Promise.all([runner.run(signals), trust.run(), pinning])
  await informing
  driftWatch.pause()
  await lastWords(clock, [events.close(), progress.flush()])
  telling.abort()
  return end
}

interface Following {
  readonly controller: Controller
  readonly driftWatch: DriftWatch
  readonly wakeBy: (wake: () => void) => void
}

function following(
  options: DaemonOptions & BootReport & { readonly trust: Trust },
  node: OwnNode,
  reporter: Reporter,
  signal: AbortSignal,
  rebooting: () => void,
): Following {
  const { host, client, clock, random, log, rules = 'policy', drift = 'report' } = options
  const { view: trust, certificates } = options.trust
  const exceptions = new Exceptions(options.ignoredDrift ?? [], certificates)
  const memory = new Memory(clock, random)
  const updates =
    options.updates ??
    new JournaledUpdates({ host, clock, log, except: exceptions, kept: certificates })
  const sources: Sources = {
    node: () => node.view(),
    host,
    updates,
    configs: new MachineConfigs(client),
    policies: new PolicySource(rules, client, clock),
    delivery: async (isDue, asking) => {
      if (isDue) await trust.caughtUp(asking)
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
      memory.forgetChecked()
      wake()
    },
    forced: () => wake(),
  })
  let delivery = trust.delivery
  trust.subscribe(() => {
    if (trust.delivery === delivery) return
    delivery = trust.delivery
    // Other files of the config are to be looked at now.
    memory.forgetChecked()
    wake()
  })
  const runner = new UpdateRunner({
    updates,
    reporter,
    log,
    signal,
    minded: (differences) => exceptions.without(differences),
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
    wakeBy: (waker) => {
      wake = waker
    },
  }
}

/** What is still to be told gets a moment, not more. */
async function lastWords(clock: Clock, words: readonly Promise<void>[]): Promise<void> {
  const enough = new AbortController()
  await Promise.race([Promise.all(words), sleep(clock, 5000, enough.signal)])
  enough.abort()
}
