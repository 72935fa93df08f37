import type { Condition, KubeObject } from '@machinist/core/objects/resource'
import type { Node } from '@machinist/kube/kinds/core'
import { ownControllerConfigAnnotations } from '../../api/annotations.ts'
import { conditionOf, nodeTrustConditions, trustDelivered } from '../../api/conditions.ts'
import { isManaged } from '../../api/labels.ts'
import type { NodeTrust } from '../../api/kinds/resources.ts'
import type { TrustDigests } from '../../api/trust/digests.ts'
import { readTrustDigests } from '../../api/trust/digests.ts'
import type { TrustItem } from '../../api/trust/items.ts'
import type { DeliveryState, ItemReport } from '../../fleet/trust/delivery-state.ts'
import { isBehind, deliveryStateOf, trustReportOf } from '../../fleet/trust/delivery-state.ts'
import type { CertsFacts } from './facts.ts'

/** The nodes that hold an item. */
export interface NodesLine {
  readonly total: number
  readonly holding: number
  readonly lagging: readonly LaggingNode[]
}

export interface LaggingNode {
  readonly node: string
  readonly state: DeliveryState
  /** Milliseconds since the epoch, if known. */
  readonly since?: number
  readonly why: string
}

/** Undefined if the cluster does not deliver the item, or if no NodeTrusts could be read. */
export function holdersOf(facts: CertsFacts, item: TrustItem): NodesLine | undefined {
  const { nodeTrusts, nodes } = facts
  if (!nodeTrusts) return undefined
  const digests = digestsIn(facts)
  const reports = new Map(
    nodeTrusts.map((trust) => [trust.metadata.name, trustReportOf(trust.status)]),
  )
  const isGiven = digests
    ? digests[item] !== undefined
    : [...reports.values()].some((items) => items.has(item))
  if (!isGiven) return undefined
  const all = nodes?.filter(isManagedNode).map(({ metadata }) => metadata.name) ?? [
    ...reports.keys(),
  ]
  const lagging = all.flatMap((name) => {
    const report = reports.get(name)?.get(item)
    const state = digests ? deliveryStateOf(digests[item], report) : (report?.state ?? 'Unknown')
    return isBehind(state) ? [laggingNode(name, state, report, facts)] : []
  })
  return { total: all.length, holding: all.length - lagging.length, lagging }
}

function digestsIn({ controllerConfig }: CertsFacts): TrustDigests | undefined {
  const annotations = controllerConfig?.metadata.annotations
  return readTrustDigests(annotations?.[ownControllerConfigAnnotations.trustDigests])
}

export const isManagedNode = ({ metadata }: Node): boolean => isManaged(metadata.labels)

function laggingNode(
  node: string,
  state: DeliveryState,
  report: ItemReport | undefined,
  facts: CertsFacts,
): LaggingNode {
  const { nodes, nodeTrusts } = facts
  const isNamed = ({ metadata }: KubeObject): boolean => metadata.name === node
  const since = sinceOf(nodeTrusts?.find(isNamed), facts)
  const why = notReadyText(nodes?.find(isNamed)) ?? whyOf(state, report)
  return { node, state, ...(since !== undefined && { since }), why }
}

function whyOf(state: DeliveryState, report: ItemReport | undefined): string {
  if (!report) return 'has not reported it'
  if (report.why !== undefined) return state === 'Failed' ? `failed: ${report.why}` : report.why
  if (report.state === 'Rendered') return 'waiting for the rollout of its pool'
  return state === 'Failed' ? 'failed' : 'does not have it yet'
}

/** `NotReady`; undefined if the node is ready. */
export function notReadyText(node: Node | undefined): string | undefined {
  if (!node) return undefined
  const ready = conditionOf(node.status?.conditions, 'Ready')
  return ready?.status === 'True' ? undefined : 'NotReady'
}

/** A lagging node reports since when it lags; otherwise the operator's condition has the time. */
function sinceOf(
  trust: NodeTrust | undefined,
  { controllerConfig }: CertsFacts,
): number | undefined {
  const own = conditionOf(trust?.status?.conditions, nodeTrustConditions.current)
  const ours = conditionOf(controllerConfig?.status?.conditions, trustDelivered)
  return falseSince(own) ?? falseSince(ours)
}

function falseSince(condition: Condition | undefined): number | undefined {
  if (condition?.status !== 'False') return undefined
  const since = Date.parse(condition.lastTransitionTime ?? '')
  return Number.isFinite(since) ? since : undefined
}
