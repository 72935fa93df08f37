import { isControlPlane } from '../../api/labels.ts'
import type { NodeTrustSpec } from '../../api/kinds/node-trust.ts'
import { nodeEvents } from '../../api/reasons.ts'
import type { NodeTrust } from '../../api/kinds/resources.ts'
import { nodeTrusts } from '../../api/kinds/resources.ts'
import type { Clock } from '@machinist/core/clock'
import type { Metrics } from '@machinist/core/metrics'
import { timestamp } from '@machinist/core/timestamp'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Controller, ReconcileContext } from '@machinist/kube/controller/controller'
import { input } from '@machinist/kube/controller/controller'
import { isRelevantChange } from '@machinist/kube/controller/relevant-change'
import type { Outcome } from '@machinist/kube/controller/outcome'
import { requeueAfter, settled } from '@machinist/kube/controller/outcome'
import type { EventRecorder } from '@machinist/kube/events/recorder'
import { isConflict, isNotFound } from '@machinist/kube/failure'
import { catchUpMs } from '@machinist/kube/informer/catch-up'
import type { Informer } from '@machinist/kube/informer/informer'
import { nodes } from '@machinist/kube/kinds/core'
import type { Node } from '@machinist/kube/kinds/core'
import { nodeFacts, notReadyText } from '@machinist/kube/nodes/node-facts'
import { mergePatch } from '@machinist/kube/patch'
import type { TurnFacts, TurnNodes, TurnStep } from './decide.ts'
import { decideTurns } from './decide.ts'
import { GrantedTurns } from './granted-turns.ts'
import type { HeldTurn } from './lost-turns.ts'
import { LostTurns } from './lost-turns.ts'
import type { TurnMetrics } from './turn-metrics.ts'
import { turnMetrics } from './turn-metrics.ts'

type Followed<T extends NodeTrust | Node> = Pick<
  Informer<T>,
  'synced' | 'subscribe' | 'get' | 'list'
>

/** Other controllers may share the informers. */
export interface KubeletTurnCaches {
  readonly nodeTrusts: Followed<NodeTrust>
  readonly nodes: Followed<Node>
}

export interface KubeletTurnOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly metrics: Metrics
  readonly events: EventRecorder
  readonly caches: KubeletTurnCaches
}

/** All turns depend on each other, so there is one key. */
const key = 'kubelet-restarts'

/** Grants nodes turns to restart the kubelet, on their NodeTrusts, which the credentials of a node can read and write. */
export function kubeletTurnsController(options: KubeletTurnOptions): Controller {
  const turns = new KubeletTurns(options)
  const { caches } = options
  return {
    name: 'kubelet-turns',
    inputs: [
      input({
        resource: 'NodeTrust',
        informer: caches.nodeTrusts,
        keys: (change) => (isRelevantChange(change, relevantTrust) ? [key] : []),
      }),
      input({
        resource: 'Node',
        informer: caches.nodes,
        keys: (change) => (isRelevantChange(change, relevantNode) ? [key] : []),
      }),
    ],
    outputs: ['NodeTrust', 'Event'],
    reconcile: (_key, context) => turns.reconcile(context),
  }
}

const relevantTrust = ({ metadata, spec, status }: Readonly<NodeTrust>): unknown => [
  metadata.uid,
  spec?.kubeletRestart,
  status?.kubeletRestart,
]

const relevantNode = (node: Readonly<Node>): unknown => [
  isControlPlane(node.metadata.labels),
  nodeFacts(node).notReadySince === undefined,
]

class KubeletTurns {
  readonly #options: KubeletTurnOptions
  readonly #metrics: TurnMetrics
  readonly #granted: GrantedTurns
  readonly #lost: LostTurns

  constructor(options: KubeletTurnOptions) {
    this.#options = options
    this.#metrics = turnMetrics(options.metrics)
    this.#granted = new GrantedTurns(options.clock)
    this.#lost = new LostTurns(options.clock)
  }

  async reconcile(context: ReconcileContext): Promise<Outcome> {
    for (;;) {
      const { facts, ...nodes } = this.#gather()
      const plan = decideTurns(facts, nodes)
      this.#metrics.update(plan)
      if (plan.steps.length === 0) {
        return plan.requeueAfterMs === undefined ? settled : requeueAfter(plan.requeueAfterMs)
      }
      for (const step of plan.steps) {
        // Some changes are not relevant and still cause a conflict, such as a new owner of a NodeTrust.
        if (!(await this.#act(step, context))) return requeueAfter(catchUpMs)
      }
    }
  }

  #gather(): TurnNodes & { readonly facts: readonly TurnFacts[] } {
    const { nodeTrusts: trusts, nodes: all } = this.#options.caches
    const facts: TurnFacts[] = []
    const held: HeldTurn[] = []
    for (const cached of trusts.list()) {
      const trust = this.#granted.newest(cached)
      const node = all.get(trust.metadata.name)
      if (!node) continue
      const each = factsOf(trust, node, this.#granted.heldMs(trust))
      facts.push(each)
      if (each.heldMs !== undefined) held.push({ ...each, uid: trust.metadata.uid ?? '' })
    }
    const workers = all.list().filter(({ metadata }) => !isControlPlane(metadata.labels)).length
    return { workers, facts, lost: this.#lost.among(held) }
  }

  /** False if the NodeTrust changed concurrently. */
  async #act({ action, node: name }: TurnStep, context: ReconcileContext): Promise<boolean> {
    const { client, clock, caches } = this.#options
    const cached = caches.nodeTrusts.get(name)
    if (!cached) return false
    const { resourceVersion } = this.#granted.newest(cached).metadata
    const kubeletRestart = written[action](timestamp(clock.now()))
    // With the resourceVersion: the daemon may just have started the turn, or returned it.
    const patch = mergePatch({ metadata: { resourceVersion }, spec: { kubeletRestart } })
    try {
      const after = await client.patch(nodeTrusts, { name }, patch, { signal: context.signal })
      this.#granted.wrote(after)
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return false
      if (action === 'grant') this.#granted.mayBeGranted(cached)
      throw error
    }
    if (action !== 'grant') this.#lost.released(name)
    context.log.info(messages[action], { node: name })
    if (action === 'withdraw') this.#withdrawn(name)
    return true
  }

  #withdrawn(name: string): void {
    const { caches, events } = this.#options
    this.#metrics.withdrawn()
    const node = caches.nodes.get(name)
    if (!node) return
    const { notReadySince } = nodeFacts(node)
    const state = notReadySince === undefined ? '' : ` The node is ${notReadyText(notReadySince)}.`
    events.warning(
      { apiVersion: 'v1', kind: nodes.kind, name, uid: node.metadata.uid ?? '' },
      nodeEvents.kubeletTurnWithdrawn,
      `Node ${name} did not finish its turn to restart the kubelet; the turn goes to the next node.${state}` +
        ' Check the machinist daemon and the kubelet on the node; it gets another turn.',
    )
  }
}

type WrittenTurn = Record<keyof NonNullable<NodeTrustSpec['kubeletRestart']>, string | null>

const written: Readonly<Record<TurnStep['action'], (now: string) => Partial<WrittenTurn> | null>> =
  {
    grant: (grantedAt) => ({ grantedAt }),
    withdraw: (withdrawnAt) => ({ grantedAt: null, withdrawnAt }),
    clear: () => null,
  }

const messages: Readonly<Record<TurnStep['action'], string>> = {
  grant: 'granted a turn to restart the kubelet',
  withdraw: 'withdrew a turn to restart the kubelet',
  clear: 'cleared a turn to restart the kubelet',
}

function factsOf(
  { spec, status }: Readonly<NodeTrust>,
  node: Readonly<Node>,
  heldMs: number | undefined,
): TurnFacts {
  const { requestedAt, startedAt } = status?.kubeletRestart ?? {}
  return {
    node: node.metadata.name,
    isControlPlane: isControlPlane(node.metadata.labels),
    isReady: nodeFacts(node).notReadySince === undefined,
    ...(requestedAt !== undefined && { requestedAt }),
    isStarted: startedAt !== undefined,
    ...(heldMs !== undefined && { heldMs }),
    wasWithdrawn: spec?.kubeletRestart?.withdrawnAt !== undefined,
  }
}
