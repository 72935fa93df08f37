import type { TrustItem } from '../../api/trust/items.ts'
import { trustItems } from '../../api/trust/items.ts'
import type { Clock } from '@machinist/core/clock'
import type { Logger } from '@machinist/core/log'
import type { Metrics } from '@machinist/core/metrics'
import type { Random } from '@machinist/core/random'
import type { KubeClient } from '@machinist/kube/client'
import type { Controller, Input } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { ControllerRunner } from '@machinist/kube/controller/controller-runner'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { sameJson } from '@machinist/core/json'
import type { KubeObject } from '@machinist/core/resource'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { CertificateFiles } from '../drift/certificate-files.ts'
import type { OwnNode } from '../follow/own-node.ts'
import type { RuleSource } from '../follow/rule-source.ts'
import type { Host } from '../host/host.ts'
import type { MountedSecrets } from '../host/mounted-secrets.ts'
import { noMountedSecrets } from '../host/mounted-secrets.ts'
import type { KubeletProbe } from '../report/kubelet-health.ts'
import { ApiServerCA } from './api-server-ca.ts'
import type { ItemOptions } from './bundle-item.ts'
import { cloudCAItem, kubeletCAItem } from './bundle-item.ts'
import { FollowedConfig } from './followed-config.ts'
import type { ItemHandler, TrustView } from './item.ts'
import { turnsOfOperator } from './kubelet-restart-turn.ts'
import { TrustLane } from './lane.ts'
import { Ledger } from './ledger.ts'
import type { Owner } from './node-trust-writer.ts'
import { NodeTrustWriter } from './node-trust-writer.ts'
import type { PullSecretOptions } from './pull-secret-item.ts'
import { PullSecretItem } from './pull-secret-item.ts'
import { rolesInOrder } from './pull-secret.ts'
import { RegistryItem } from './registry-item.ts'
import { Teller } from './teller.ts'
import { trustMetrics } from './trust-metrics.ts'
import { TrustWatch } from './trust-watch.ts'
import { View } from './view.ts'

export interface TrustOptions {
  readonly client: KubeClient
  readonly host: Host
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Metrics
  /** Over which time the nodes of a cluster spread their reads of a change; 10 seconds. */
  readonly trustJitterMs?: number
  /** By those of 4.12, certificates are in MachineConfigs unless the cluster says otherwise. */
  readonly rules?: RuleSource
  /** Asked after a restart of the kubelet; unless given, systemd alone is. */
  readonly kubelet?: KubeletProbe
  /** Pull secrets for the node's role; none unless given. */
  readonly mountedSecrets?: MountedSecrets
}

/** The trust lane of a daemon: it runs beside the config lane and waits for nothing that happens there. */
export interface Trust {
  readonly view: TrustView
  /** Of which configs may bring some, too. */
  readonly certificates: CertificateFiles
  /** The metadata of the ControllerConfig: who else needs it follows it here. */
  readonly config: Informer<KubeObject>
  /** Until the signal aborts that it was opened with. */
  run(): Promise<void>
}

const usualJitterMs = 10_000

export async function openTrust(
  options: TrustOptions,
  node: OwnNode,
  events: EventRecorder,
  signal: AbortSignal,
): Promise<Trust> {
  const { client, host, clock, random, metrics, trustJitterMs: jitterMs = usualJitterMs } = options
  const { mountedSecrets: mounted = noMountedSecrets } = options
  const { files } = host
  const log = options.log.with({ lane: 'trust' })
  const ledger = await Ledger.open(files, log)
  const usualDelivery = options.rules === '4.12' ? 'rendered' : 'direct'
  const config = new FollowedConfig({ client, clock, random, log, metrics, usualDelivery })
  const view = new View({ said: ledger.delivery, usual: usualDelivery }, (whom) =>
    lane.catchUp(whom),
  )
  const certificates = new CertificateFiles(files, view)
  const wakeFor = (item: TrustItem): void => {
    lane.lookAgain(item)
    runner.enqueue(node.name)
  }
  const handlers = [
    ...fileItems({ files, ledger, clock, alone: certificates.alone.bind(certificates) }),
    pullSecretItem({ files, ledger, clock, mounted }, node),
    apiServerCAItem({ ...options, log, signal }, node, ledger, wakeFor),
  ]
  const writer = new NodeTrustWriter(client, log)
  const told = { owner: () => ownerOf(node), writer, events, clock, log }
  const teller = new Teller({ ...told, metrics: trustMetrics(metrics) })
  const parts = { config, handlers, ledger, teller, view }
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
      identityInput(node, () => lane.lookAgain(trustItems.pullSecret)),
    ],
    outputs: ['NodeTrust', 'Event'],
    async reconcile(_key, context) {
      // Watched first: what changes while we look is looked at again.
      watch.arm(watched())
      const outcome = await lane.reconcile(context.signal)
      watch.arm(watched())
      return outcome
    },
  }
  const runner = new ControllerRunner(controller, { ...options, log })
  // A restore of etcd may have undone what was reported.
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
    turn: turnsOfOperator({ ...options, node: node.name }),
    ...(probe && { probe }),
    changed: () => wakeFor(trustItems.apiServerCA),
  })
}

function ownerOf(node: OwnNode): Owner | undefined {
  const { name, uid } = node.view() ?? {}
  return name === undefined || uid === undefined ? undefined : { name, uid }
}

/** Which Node this is, and what it is for: its ledger belongs to it, and secrets may be mounted for its roles. */
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
