import type { TrustItem } from '../../api/trust/items.ts'
import { trustItems } from '../../api/trust/items.ts'
import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Controller, Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { ControllerRunner } from '@machinist/kube/controller/controller-runner'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { sameJson } from '@machinist/core/encoding/json'
import type { KubeObject } from '@machinist/core/objects/resource'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { CertificateFiles } from './view/certificate-files.ts'
import type { OwnNode } from '../node/own-node.ts'
import type { RuleSource } from '../follow/rule-source.ts'
import type { Host } from '../host/host.ts'
import type { MountedSecrets } from '../host/files/mounted-secrets.ts'
import { noMountedSecrets } from '../host/files/mounted-secrets.ts'
import type { KubeletProbe } from '../report/kubelet-health.ts'
import { ApiServerCA } from './api-server-ca/api-server-ca.ts'
import type { ItemOptions } from './items/bundle-item.ts'
import { cloudCAItem, kubeletCAItem } from './items/bundle-item.ts'
import { FollowedConfig } from './desired/followed-config.ts'
import type { ItemHandler } from './items/item.ts'
import type { TrustView } from './view/trust-view.ts'
import { operatorTurns } from './api-server-ca/kubelet-restart-turn.ts'
import { TrustLane } from './lane.ts'
import { Ledger } from './items/ledger.ts'
import type { OwnerNode } from './report/node-trust-writer.ts'
import { NodeTrustWriter } from './report/node-trust-writer.ts'
import type { PullSecretOptions } from './items/pull-secret-item.ts'
import { PullSecretItem } from './items/pull-secret-item.ts'
import { rolesInOrder } from './items/pull-secret.ts'
import { RegistryItem } from './items/registry-item.ts'
import { StatusReporter } from './report/status-reporter.ts'
import { trustMetrics } from './report/trust-metrics.ts'
import { TrustWatch } from './trust-watch.ts'
import { LaneView } from './view/view.ts'

export interface TrustOptions {
  readonly client: KubeClient
  readonly host: Host
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
  /** Period over which the nodes of a cluster spread their reads of a change; 10 seconds by default. */
  readonly trustJitterMs?: number
  /** With the 4.12 rules, MachineConfigs deliver certificates unless the ControllerConfig specifies otherwise. */
  readonly rules?: RuleSource
  /** Health check after a restart of the kubelet; without it, only the state of the unit is checked. */
  readonly kubelet?: KubeletProbe
  /** Pull secrets for the node's role; none by default. */
  readonly mountedSecrets?: MountedSecrets
}

/** The trust lane of a daemon. It runs beside the config lane and never waits for it. */
export interface Trust {
  readonly view: TrustView
  /** The certificate files that MachineConfigs may contain, too. */
  readonly certificates: CertificateFiles
  /** The metadata of the ControllerConfig, also for other parts of the daemon. */
  readonly config: Informer<KubeObject>
  /** Runs until the signal of `openTrust` aborts. */
  run(): Promise<void>
}

const defaultJitterMs = 10_000

export async function openTrust(
  options: TrustOptions,
  node: OwnNode,
  events: EventRecorder,
  signal: AbortSignal,
): Promise<Trust> {
  const {
    client,
    host,
    clock,
    random,
    metrics,
    trustJitterMs: jitterMs = defaultJitterMs,
  } = options
  const { mountedSecrets: mounted = noMountedSecrets } = options
  const { files } = host
  const log = options.log.with({ lane: 'trust' })
  const ledger = await Ledger.open(files, log)
  const defaultDelivery = options.rules === '4.12' ? 'rendered' : 'direct'
  const config = new FollowedConfig({ client, clock, random, log, metrics, defaultDelivery })
  const view = new LaneView(
    { recorded: ledger.delivery, fallback: defaultDelivery },
    (requestSignal) => lane.catchUp(requestSignal),
  )
  const certificates = new CertificateFiles(files, view)
  const wakeFor = (item: TrustItem): void => {
    lane.invalidate(item)
    runner.enqueue(node.name)
  }
  const handlers = [
    ...fileItems({
      files,
      ledger,
      clock,
      runExclusive: certificates.runExclusive.bind(certificates),
    }),
    pullSecretItem({ files, ledger, clock, mounted }, node),
    apiServerCAItem({ ...options, log, signal }, node, ledger, wakeFor),
  ]
  const writer = new NodeTrustWriter(client, log)
  const reporter = new StatusReporter({
    owner: () => ownerOf(node),
    writer,
    events,
    clock,
    log,
    metrics: trustMetrics(metrics),
  })
  const parts = { config, handlers, ledger, reporter, view }
  const lane = new TrustLane({ ...parts, clock, random, log, jitterMs })
  const watch = new TrustWatch({
    files,
    clock,
    random,
    changed: (paths) => {
      if (paths === 'any') writer.forget()
      for (const path of paths === 'any' ? [undefined] : paths) lane.changed(path)
      runner.enqueue(node.name)
    },
  })
  const watched = (): readonly string[] => handlers.flatMap((each) => each.watched())
  const controller: Controller = {
    name: 'node-trust',
    inputs: [
      config.input(node.name),
      identityInput(node, () => lane.invalidate(trustItems.pullSecret)),
    ],
    outputs: ['NodeTrust', 'Event'],
    async reconcile(_key, context) {
      // Watch first: a change during the pass causes another one.
      watch.arm(watched())
      const outcome = await lane.reconcile(context.signal)
      watch.arm(watched())
      return outcome
    },
  }
  const runner = new ControllerRunner(controller, { ...options, log })
  // A restore of etcd may have reverted the last report.
  const reportAgain = (): void => {
    writer.forget()
    runner.enqueue(node.name)
  }
  config.informer.onRelist((begunAt) => {
    lane.relisted(begunAt)
    reportAgain()
  })
  node.informer.onRelist(reportAgain)
  return {
    view,
    certificates,
    config: config.informer,
    async run() {
      const informing = config.informer.start(signal)
      const mounts = mounted.watch(() => wakeFor(trustItems.pullSecret))
      await runner.run(signal)
      watch.close()
      mounts.close()
      await informing
    },
  }
}

const fileItems = (options: ItemOptions): ItemHandler[] => [
  kubeletCAItem(options),
  cloudCAItem(options),
  new RegistryItem(options),
]

function pullSecretItem(options: Omit<PullSecretOptions, 'roles'>, node: OwnNode): ItemHandler {
  const roles = (): string[] | undefined => {
    const labels = node.labels()
    return labels && rolesInOrder(labels)
  }
  return new PullSecretItem({ ...options, roles })
}

function apiServerCAItem(
  options: TrustOptions & { readonly signal: AbortSignal },
  node: OwnNode,
  ledger: Ledger,
  wakeFor: (item: TrustItem) => void,
): ItemHandler {
  const { kubelet: probe } = options
  return new ApiServerCA({
    ...options,
    notes: ledger.notes(trustItems.apiServerCA),
    turn: operatorTurns({ ...options, node: node.name }),
    ...(probe && { probe }),
    changed: () => wakeFor(trustItems.apiServerCA),
  })
}

function ownerOf(node: OwnNode): OwnerNode | undefined {
  const { name, uid } = node.view() ?? {}
  return name === undefined || uid === undefined ? undefined : { name, uid }
}

/** The identity and the roles of the Node: NodeTrust has the Node as its owner, and secrets are mounted for roles. */
function identityInput(node: OwnNode, changed: () => void): Input {
  const identityOf = ({ metadata }: Readonly<Node>): unknown => [metadata.uid, metadata.labels]
  return input({
    resource: 'Node',
    informer: node.informer,
    keys: (change) => {
      const isOther =
        change.type !== 'updated' || !sameJson(identityOf(change.before), identityOf(change.object))
      if (!isOther) return []
      changed()
      return [node.name]
    },
  })
}
