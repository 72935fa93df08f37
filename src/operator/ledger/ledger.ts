import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import type { ConditionReport } from '../../api/conditions.ts'
import { conditionOf, setCondition, trustDelivered } from '../../api/conditions.ts'
import type { NodeTrustItem } from '../../api/kinds/node-trust.ts'
import { isLookedAfter } from '../../api/labels.ts'
import { names } from '../../api/names.ts'
import type { ControllerConfig, NodeTrust } from '../../api/resources.ts'
import { controllerConfigs } from '../../api/resources.ts'
import { readTrustDigests } from '../../api/trust/digests.ts'
import type { Clock } from '@machinist/core/clock'
import { sameJson } from '@machinist/core/json'
import type { Metrics } from '@machinist/core/metrics'
import type { Condition, KubeObject } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import { modify } from '@machinist/kube/client-modify'
import type { Controller, Input, ReconcileContext } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { News } from '@machinist/kube/controller/pace'
import { Pace } from '@machinist/kube/controller/pace'
import { timestamp } from '@machinist/core/timestamp'
import { ifThere } from '@machinist/kube/failure'
import type { Change } from '@machinist/kube/informer/change'
import type { Informer } from '@machinist/kube/informer/informer'
import type { Node } from '@machinist/kube/kinds/core'
import { factsOfNode } from '@machinist/kube/node-facts'
import { decide, mostNamed } from './decide.ts'
import { firstToMiss, toldBy } from '../../fleet/trust/judge.ts'
import type { LedgerMetrics } from './ledger-metrics.ts'
import { ledgerMetrics } from './ledger-metrics.ts'
import { Tally } from './tally.ts'

type Followed<T extends KubeObject> = Pick<Informer<T>, 'synced' | 'subscribe'>

/** What it follows; the informers may be shared with others. */
export interface LedgerCaches {
  /** With `withoutCertificates` as their transform, unless somebody else wants them whole. */
  readonly nodeTrusts: Followed<NodeTrust>
  readonly nodes: Followed<Node>
  readonly controllerConfigs: Followed<ControllerConfig>
}

export interface LedgerOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly metrics: Metrics
  readonly caches: LedgerCaches
  /** How long news are collected before they are told; two seconds. */
  readonly batchMs?: number
}

const defaultBatchMs = 2000
/** How often the age of what is late is counted anew. */
const lateMs = 15_000

/** Keeps of a NodeTrust what the ledger counts: of the certificates, one for each item. */
export function withoutCertificates(trust: NodeTrust): NodeTrust {
  const { status } = trust
  if (!status?.items) return trust
  const items = status.items.map((item): NodeTrustItem => {
    const { name, state, message, wantedDigest, actualDigest, earliestNotAfter } = item
    const first = firstToMiss(item)
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

/** Who has of the trust lane what it should have. Its key is the name of the ControllerConfig. One for each run. */
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
  readonly #pace: Pace
  /** The ControllerConfig that is there, and what it says. */
  #uid: string | undefined
  #said: Condition | undefined
  #isRecalled = false

  constructor(options: LedgerOptions) {
    const { caches, metrics, batchMs = defaultBatchMs } = options
    this.#options = options
    this.#metrics = ledgerMetrics(metrics)
    this.#pace = new Pace(batchMs)
    this.inputs = [
      input({
        resource: 'ControllerConfig',
        informer: caches.controllerConfigs,
        keys: (change) => this.#wanted(change),
      }),
      input({ resource: 'Node', informer: caches.nodes, keys: (change) => this.#node(change) }),
      input({
        resource: 'NodeTrust',
        informer: caches.nodeTrusts,
        keys: (change) => this.#trust(change),
      }),
    ]
  }

  async reconcile({ signal, log }: ReconcileContext): Promise<Outcome> {
    const { clock } = this.#options
    if (this.#uid !== undefined && !this.#isRecalled) this.#recall()
    const now = clock.now()
    const items = this.#tally.items()
    this.#metrics.show(items, now)
    const late = items.some(({ behind }) => behind > 0) ? requeueAfter(lateMs) : settled
    if (this.#uid === undefined) return late
    const lacking = items
      .filter(({ behind }) => behind > 0)
      .map(({ item, behind, counts }) => {
        const named = this.#tally.laggards(item, mostNamed)
        return { item, behind, failed: counts.Failed, named }
      })
    const isTold = this.#tally.wanted !== undefined
    const report = decide({ isTold, nodes: this.#tally.size, lacking })
    const waitMs = this.#pace.waitMs(newsIn(report, this.#said), clock.elapsed())
    if (waitMs === undefined) return late
    if (waitMs > 0) return requeueAfter(waitMs)
    await this.#write(report, signal)
    log.info('told who holds what', { status: report.status, why: report.message ?? '' })
    return late
  }

  /** What was said before a restart: those who are behind have been so since then. */
  #recall(): void {
    this.#isRecalled = true
    const since = Date.parse(this.#said?.lastTransitionTime ?? '')
    if (this.#said?.status === 'False' && Number.isFinite(since)) this.#tally.recall(since)
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
    const written = await ifThere(modify(client, controllerConfigs, key, change, call))
    this.#said = conditionOf(written?.status?.conditions, trustDelivered)
    this.#pace.wrote(clock.elapsed())
  }

  #wanted({ type, object }: Change<ControllerConfig>): string[] {
    if (object.metadata.name !== names.controllerConfig) return []
    const { metadata, status } = type === 'deleted' ? {} : object
    const { trustDigests } = ownControllerConfigAnnotations
    const digests = readTrustDigests(metadata?.annotations?.[trustDigests])
    const said = conditionOf(status?.conditions, trustDelivered)
    const isOther = metadata?.uid !== this.#uid
    const wantsOther = isOther || !sameJson(digests, this.#tally.wanted)
    if (!wantsOther && sameJson(said, this.#said)) return []
    if (isOther) this.#isRecalled = false
    if (wantsOther) this.#tally.want(digests, this.#options.clock.now())
    this.#uid = metadata?.uid
    this.#said = said
    return [names.controllerConfig]
  }

  #node(change: Change<Node>): string[] {
    const { name, labels } = change.object.metadata
    if (!isLookedAfter(labels)) return []
    if (change.type === 'deleted') this.#tally.leave(name)
    else {
      const facts = factsOfNode(change.object)
      if (change.type === 'updated' && sameJson(facts, factsOfNode(change.before))) return []
      this.#tally.join(name, facts, this.#options.clock.now())
    }
    return [names.controllerConfig]
  }

  #trust(change: Change<NodeTrust>): string[] {
    const { metadata, status } = change.object
    const told = change.type === 'deleted' ? undefined : toldBy(status)
    this.#tally.tell(metadata.name, told, this.#options.clock.now())
    return [names.controllerConfig]
  }
}

function newsIn(report: ConditionReport, said: Condition | undefined): News {
  if (said?.status !== report.status) return 'turn'
  const isSame =
    (said.reason ?? '') === (report.reason ?? '') && (said.message ?? '') === (report.message ?? '')
  return isSame ? 'none' : 'more'
}
