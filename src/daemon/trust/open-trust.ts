import type { KubeObject } from '@machinist/core/objects/resource'
import type { Controller } from '@machinist/kube/controller/controller'
import type { ControllerContext } from '@machinist/kube/controller/controller-context'
import { Trigger } from '@machinist/kube/controller/trigger'
import type { Informer } from '@machinist/kube/informer/informer'
import { trustItems } from '../../api/trust/items.ts'
import type { RuleSource } from '../follow/rule-source.ts'
import type { MountedSecrets } from '../host/files/mounted-secrets.ts'
import { noMountedSecrets } from '../host/files/mounted-secrets.ts'
import type { Host } from '../host/host.ts'
import type { OwnNode } from '../node/own-node.ts'
import type { KubeletProbe } from '../report/kubelet-health.ts'
import { ApiServerCA } from './api-server-ca/api-server-ca.ts'
import { operatorTurns } from './api-server-ca/kubelet-restart-turn.ts'
import { DesiredTrustSource } from './desired/desired-trust-source.ts'
import { FollowedConfig } from './desired/followed-config.ts'
import { cloudCAItem, kubeletCAItem } from './items/bundle-item.ts'
import type { ItemHandler } from './items/item.ts'
import { Ledger } from './items/ledger.ts'
import { PullSecretItem } from './items/pull-secret-item.ts'
import { rolesInOrder } from './items/pull-secret.ts'
import { RegistryItem } from './items/registry-item.ts'
import { TrustMemory } from './memory/memory.ts'
import type { OwnerNode } from './report/node-trust-writer.ts'
import { NodeTrustWriter } from './report/node-trust-writer.ts'
import { StatusReporter } from './report/status-reporter.ts'
import { trustMetrics } from './report/trust-metrics.ts'
import { nodeTrustController } from './trust.ts'
import { TrustWatch } from './trust-watch.ts'
import { CertificateFiles } from './view/certificate-files.ts'
import type { TrustView } from './view/trust-view.ts'
import { LaneView } from './view/view.ts'

export interface TrustSettings {
  /** Period over which the nodes of a cluster spread their reads of a trust change; 10 seconds by default. */
  readonly trustJitterMs?: number
  /** With the 4.12 rules, MachineConfigs deliver certificates unless the ControllerConfig specifies otherwise. */
  readonly rules?: RuleSource
  /** Health check after a restart of the kubelet; without it, only the state of the unit is checked. */
  readonly kubelet?: KubeletProbe
  /** Pull secrets that are mounted into the daemon for the node's role; none by default. */
  readonly mountedSecrets?: MountedSecrets
}

/** The machine of the trust lane. */
export interface TrustMachine {
  readonly node: OwnNode
  readonly host: Host
  /** Aborts when the daemon stops. */
  readonly stop: AbortSignal
}

/** The trust lane of a daemon. */
export interface Trust {
  readonly controller: Controller
  readonly view: TrustView
  /** The certificate files that MachineConfigs may contain, too. */
  readonly certificates: CertificateFiles
  /** The metadata of the ControllerConfig, also for other parts of the daemon. Not started. */
  readonly config: Informer<KubeObject>
}

const defaultJitterMs = 10_000

/** Creates the parts of the trust lane. */
export async function openTrust(
  context: ControllerContext,
  machine: TrustMachine,
  settings: TrustSettings = {},
): Promise<Trust> {
  const { client, clock, random, log } = context
  const { node, host } = machine
  const { trustJitterMs: jitterMs = defaultJitterMs, mountedSecrets: mounted = noMountedSecrets } =
    settings
  const { files } = host
  const ledger = await Ledger.open(files, log)
  const defaultDelivery = settings.rules === '4.12' ? 'rendered' : 'direct'
  const config = new FollowedConfig({ ...context, defaultDelivery })
  const source = new DesiredTrustSource({ config, clock, log })
  const memory = new TrustMemory(clock, random, jitterMs)
  const start = { recorded: ledger.delivery, fallback: defaultDelivery } as const
  const view = new LaneView(start, { source, observed: memory.observed })
  const certificates = new CertificateFiles(files, view)
  const kubelet = new Trigger('kubelet')
  const runExclusive = certificates.runExclusive.bind(certificates)
  const item = { files, ledger, clock, runExclusive }
  const handlers: readonly ItemHandler[] = [
    kubeletCAItem(item),
    cloudCAItem(item),
    new RegistryItem(item),
    new PullSecretItem({ ...item, mounted, roles: () => rolesOf(node) }),
    new ApiServerCA({
      ...context,
      host,
      notes: ledger.notes(trustItems.apiServerCA),
      turn: operatorTurns({ ...context, node: node.name }),
      ...(settings.kubelet && { probe: settings.kubelet }),
      signal: machine.stop,
      changed: () => {
        memory.invalidate(trustItems.apiServerCA)
        kubelet.trigger(node.name)
      },
    }),
  ]
  const reporter = new StatusReporter({
    ...context,
    owner: () => ownerOf(node),
    writer: new NodeTrustWriter(client, log),
    trustMetrics: trustMetrics(context.metrics),
  })
  const watch = new TrustWatch({ files, clock, random })
  const caches = { name: node.name, node: node.informer, config: config.informer }
  const sources = { config, source, handlers, ledger, view, watch, memory }
  const controller = nodeTrustController(context, caches, {
    ...sources,
    mounted,
    kubelet,
    reporter,
  })
  return { controller, view, certificates, config: config.informer }
}

function rolesOf(node: OwnNode): string[] | undefined {
  const labels = node.labels()
  return labels && rolesInOrder(labels)
}

function ownerOf(node: OwnNode): OwnerNode | undefined {
  const { name, uid } = node.view() ?? {}
  return name === undefined || uid === undefined ? undefined : { name, uid }
}
