import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import type { ConditionReport } from '../../api/conditions.ts'
import { conditionOf, setCondition, trustDelivered } from '../../api/conditions.ts'
import type { NodeTrustItem } from '../../api/kinds/node-trust.ts'
import { isManaged } from '../../api/labels.ts'
import { names } from '../../api/names.ts'
import type { ControllerConfig, NodeTrust } from '../../api/kinds/resources.ts'
import { controllerConfigs } from '../../api/kinds/resources.ts'
import { readTrustDigests } from '../../api/trust/digests.ts'
import type { Clock } from '@machinist/core/clock'
import { sameJson } from '@machinist/core/encoding/json'
import type { Metrics } from '@machinist/core/metrics'
import type { Condition, KubeObject } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import { modify } from '@machinist/kube/client/modify'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { PendingReport } from '@machinist/kube/controller/write-pacer'
import { WritePacer } from '@machinist/kube/controller/write-pacer'
import { timestamp } from '@machinist/core/timestamp'
import { ignoreNotFound } from '@machinist/kube/failure'
import type { Change } from '@machinist/kube/informer/change'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { nodeFacts } from '@machinist/kube/nodes/node-facts'
import { decideCondition, mostNamed } from './decide.ts'
import { firstUnreplaced, trustReportOf } from '../../fleet/trust/delivery-state.ts'
import type { LedgerMetrics } from './ledger-metrics.ts'
import { ledgerMetrics } from './ledger-metrics.ts'
import { Tally } from './tally.ts'

type FollowedCache<T extends KubeObject> = Pick<Informer<T>, 'synced' | 'subscribe'>

/** The caches of this controller; other controllers may share the informers. */
export interface LedgerCaches {
  /** With `withoutCertificates` as transform, unless another controller needs the certificates. */
  readonly nodeTrusts: FollowedCache<NodeTrust>
  readonly nodes: FollowedCache<Node>
  readonly controllerConfigs: FollowedCache<ControllerConfig>
}

export interface LedgerOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly metrics: Metrics
  readonly caches: LedgerCaches
  /** How long changes are batched before the condition is written; two seconds by default. */
  readonly batchMs?: number
}

const defaultBatchMs = 2000
/** Update interval of the lag metrics while nodes lag. */
const metricsIntervalMs = 15_000

/** Keeps the fields of a NodeTrust that the ledger uses: one certificate for each item. */
export function withoutCertificates(trust: NodeTrust): NodeTrust {
  const { status } = trust
  if (!status?.items) return trust
  const items = status.items.map((item): NodeTrustItem => {
    const { name, state, message, wantedDigest, actualDigest, earliestNotAfter } = item
    const first = firstUnreplaced(item)
    return {
      name,
      state,
      ...(first && { certificates: [first] }),
      ...(message && { message }),
      ...(wantedDigest && { wantedDigest }),
      ...(actualDigest && { actualDigest }),
      ...(earliestNotAfter && { earliestNotAfter }),
    }
  })
  return { ...trust, status: { ...status, items } }
}

/** Reports which nodes have the desired trust items. The key is the name of the ControllerConfig. Has state: one instance per run. */
export function ledgerController(options: LedgerOptions): Controller {
  const ledger = new Ledger(options)
  return {
    name: 'trust-ledger',
    inputs: ledger.inputs,
    outputs: ['ControllerConfig'],
    reconcile: (_key, context) => ledger.reconcile(context),
  }
}

class Ledger {
  readonly inputs: readonly Input[]
  readonly #options: LedgerOptions
  readonly #metrics: LedgerMetrics
  readonly #tally = new Tally()
  readonly #pace: WritePacer
  /** The uid and the condition of the current ControllerConfig. */
  #uid: string | undefined
  #condition: Condition | undefined
  #isRestored = false

  constructor(options: LedgerOptions) {
    const { caches, metrics, batchMs = defaultBatchMs } = options
    this.#options = options
    this.#metrics = ledgerMetrics(metrics)
    this.#pace = new WritePacer(batchMs)
    this.inputs = [
      input({
        resource: 'ControllerConfig',
        informer: caches.controllerConfigs,
        keys: (change) => this.#controllerConfigChanged(change),
      }),
      input({
        resource: 'Node',
        informer: caches.nodes,
        keys: (change) => this.#nodeChanged(change),
      }),
      input({
        resource: 'NodeTrust',
        informer: caches.nodeTrusts,
        keys: (change) => this.#nodeTrustChanged(change),
      }),
    ]
  }

  async reconcile({ signal, log }: ReconcileContext): Promise<Outcome> {
    const { clock } = this.#options
    if (this.#uid !== undefined && !this.#isRestored) this.#restoreSince()
    const now = clock.now()
    const items = this.#tally.items()
    this.#metrics.update(items, now)
    const isLagging = items.some(({ behind }) => behind > 0)
    const outcome = isLagging ? requeueAfter(metricsIntervalMs) : settled
    if (this.#uid === undefined) return outcome
    const lacking = items
      .filter(({ behind }) => behind > 0)
      .map(({ item, behind, counts }) => {
        const named = this.#tally.laggards(item, mostNamed)
        return { item, behind, failed: counts.Failed, named }
      })
    const hasDigests = this.#tally.desired !== undefined
    const report = decideCondition({ hasDigests, nodes: this.#tally.size, lacking })
    const waitMs = this.#pace.waitMs(pendingReport(report, this.#condition), clock.elapsed())
    if (waitMs === undefined) return outcome
    if (waitMs > 0) return requeueAfter(waitMs)
    await this.#write(report, signal)
    log.info('set the TrustDelivered condition', {
      status: report.status,
      why: report.message ?? '',
    })
    return outcome
  }

  /** After a restart, nodes that lag have lagged since the transition time of the condition. */
  #restoreSince(): void {
    this.#isRestored = true
    const { status, lastTransitionTime } = this.#condition ?? {}
    const since = Date.parse(lastTransitionTime ?? '')
    if (status === 'False' && Number.isFinite(since)) this.#tally.restoreSince(since)
  }

  async #write(report: ConditionReport, signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#options
    const now = timestamp(clock.now())
    const change = (current: ControllerConfig): ControllerConfig => {
      const conditions = setCondition(current.status?.conditions, report, now)
      return { ...current, status: { ...current.status, conditions: [...conditions] } }
    }
    const key = { name: names.controllerConfig }
    const call = { subresource: 'status', signal } as const
    const written = await ignoreNotFound(modify(client, controllerConfigs, key, change, call))
    this.#condition = conditionOf(written?.status?.conditions, trustDelivered)
    this.#pace.wrote(clock.elapsed())
  }

  #controllerConfigChanged({ type, object }: Change<ControllerConfig>): string[] {
    if (object.metadata.name !== names.controllerConfig) return []
    const { metadata, status } = type === 'deleted' ? {} : object
    const { trustDigests } = ownControllerConfigAnnotations
    const digests = readTrustDigests(metadata?.annotations?.[trustDigests])
    const condition = conditionOf(status?.conditions, trustDelivered)
    const isOther = metadata?.uid !== this.#uid
    const isDesiredChanged = isOther || !sameJson(digests, this.#tally.desired)
    if (!isDesiredChanged && sameJson(condition, this.#condition)) return []
    if (isOther) this.#isRestored = false
    if (isDesiredChanged) this.#tally.setDesired(digests, this.#options.clock.now())
    this.#uid = metadata?.uid
    this.#condition = condition
    return [names.controllerConfig]
  }

  #nodeChanged(change: Change<Node>): string[] {
    const { name, labels } = change.object.metadata
    if (!isManaged(labels)) return []
    if (change.type === 'deleted') this.#tally.removeNode(name)
    else {
      const facts = nodeFacts(change.object)
      if (change.type === 'updated' && sameJson(facts, nodeFacts(change.before))) return []
      this.#tally.addNode(name, facts, this.#options.clock.now())
    }
    return [names.controllerConfig]
  }

  #nodeTrustChanged(change: Change<NodeTrust>): string[] {
    const { metadata, status } = change.object
    const report = change.type === 'deleted' ? undefined : trustReportOf(status)
    this.#tally.setReport(metadata.name, report, this.#options.clock.now())
    return [names.controllerConfig]
  }
}

function pendingReport(report: ConditionReport, current: Condition | undefined): PendingReport {
  if (current?.status !== report.status) return 'transition'
  const isSame =
    (current.reason ?? '') === (report.reason ?? '') &&
    (current.message ?? '') === (report.message ?? '')
  return isSame ? 'none' : 'more'
}
